import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { miniChat } from '../support/mini-chat.ts'
import { makeAdapter, writeAdapter } from '../support/model-files/lora-gguf.ts'
import { createTemporaryFolder } from '../support/temporary-folder.ts'
import { becomeOwner, owner, visitConsole } from './support/console-visit.ts'
import { eventually } from './support/eventually.ts'
import { useConsole } from './support/use-console.ts'
import { haveAnswered } from './support/written-answer.ts'

const { skip, visit } = useConsole(becomeOwner)

const panel = (page: Page) => page.getByRole('complementary', { name: 'Conversations and settings' })
const prompt = (page: Page) => panel(page).getByLabel('System prompt')

async function assertPrompt(page: Page, text: string): Promise<void> {
  await eventually(async () => assert.equal(await prompt(page).inputValue(), text))
}

test('each conversation has its own system prompt and parameters, on every device', { skip }, async () => {
  const { page, browser } = visit()
  await prompt(page).fill('You are a pirate.')
  await panel(page).getByLabel('Maximum length', { exact: true }).fill('77')
  await haveAnswered(page, 'Arr.')
  const address = page.url()
  await page.getByRole('button', { name: 'New conversation' }).click()
  await prompt(page).fill('You are a parrot.')
  await haveAnswered(page, 'Squawk.')
  await page.goto(address)
  await page.locator('.turn-answer').getByText('Arr.').waitFor()
  await assertPrompt(page, 'You are a pirate.')
  await using context = await browser.newContext({ viewport: { width: 1280, height: 860 } })
  const other = await context.newPage()
  await other.goto(address)
  await other.getByLabel('E-mail').fill(owner.email)
  await other.getByLabel('Password').fill(owner.password)
  await other.getByRole('button', { name: 'Sign in', exact: true }).click()
  await other.locator('.turn-answer').getByText('Arr.').waitFor()
  await assertPrompt(other, 'You are a pirate.')
  await eventually(async () => assert.equal(await panel(other).getByLabel('Maximum length', { exact: true }).inputValue(), '77'))
  await prompt(other).fill('You are a captain.')
  await assertPrompt(page, 'You are a captain.')
})

test('a LoRA for a text model is chosen with its weight, sent, and kept with the conversation', { skip }, async () => {
  await using folder = await createTemporaryFolder()
  await writeFile(join(folder.path, 'ink.gguf'), writeAdapter(makeAdapter(await readFile(miniChat.file), 1)))
  await using own = await visitConsole(['--models', folder.path])
  const { page, complaints } = own
  await becomeOwner(own)
  await panel(page).getByText('LoRAs', { exact: true }).click()
  await panel(page).getByLabel('Add a LoRA').selectOption('ink')
  await panel(page).getByLabel('ink', { exact: true }).fill('0.5')
  const requested = page.waitForRequest('**/v1/chat/completions')
  await page.getByLabel('Your message', { exact: true }).fill('Hello.')
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  assert.deepEqual(JSON.parse((await requested).postData() ?? '{}').lora, [{ name: 'ink', scale: 0.5 }])
  await page.locator('.turn-answer:is([data-state=done], [data-state=cut])').waitFor()
  const address = page.url()
  await page.getByRole('button', { name: 'New conversation' }).click()
  await panel(page).getByRole('button', { name: 'Remove ink' }).click()
  await panel(page).getByRole('button', { name: 'Remove ink' }).waitFor({ state: 'detached' })
  await page.goto(address)
  await page.locator('.turn-answer').waitFor()
  await eventually(async () => assert.equal(await panel(page).getByLabel('ink', { exact: true }).inputValue(), '0.5'))
  assert.deepEqual(complaints, [])
})
