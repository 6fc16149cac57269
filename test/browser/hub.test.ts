import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { startHubServer } from '../support/model-files/hub-server.ts'
import { becomeOwner, openPage, visitConsole } from './support/console-visit.ts'
import { findBarriers } from './support/find-barriers.ts'
import { withoutChromium } from './support/open-chromium.ts'

test('an owner searches the hub, sees the results, and pulls a model with one click', { skip: withoutChromium }, async () => {
  const weights = await readFile('models/sepia-mini-chat/model.gguf')
  await using hub = await startHubServer({
    'someone/small-chat-GGUF': { files: { 'small-chat-Q8_0.gguf': weights }, license: 'apache-2.0' },
    'someone/closed-chat-GGUF': { files: { 'closed-chat-Q8_0.gguf': weights }, gated: true },
  })
  await using visit = await visitConsole(['--hub-url', hub.url, '--pull-hosts', '127.0.0.1,localhost', '--memory', '4gb'])
  const { page } = visit
  await becomeOwner(visit)
  await openPage(page, 'Models')
  await page.getByRole('button', { name: 'Pull a model' }).click()
  const dialog = page.getByRole('dialog', { name: 'Pull a model' })
  await dialog.getByRole('heading', { name: 'Suggested models' }).waitFor()
  const suggested = dialog.getByRole('listitem')
  const tooLarge = 'too large: models may use 4.3 GB here'
  await suggested.filter({ hasText: 'Qwen3-8B' }).getByText(tooLarge).waitFor()
  assert.equal(await suggested.filter({ hasText: 'SmolLM3' }).getByText(tooLarge).count(), 0)
  assert.deepEqual(await findBarriers(page), [])
  const words = dialog.getByLabel('Search Hugging Face, or paste')
  await words.fill('nothing of the kind')
  await page.keyboard.press('Enter')
  await dialog.getByText('No GGUF or image model on Hugging Face matches these words').waitFor()
  await words.fill('chat')
  await dialog.getByRole('button', { name: 'Search', exact: true }).click()
  const found = dialog.getByRole('list', { name: 'Found on the hub' }).getByRole('listitem')
  await found.filter({ hasText: 'closed-chat' }).getByText('accept its terms').waitFor()
  assert.deepEqual(await findBarriers(page), [])
  await found.filter({ hasText: 'someone/small-chat-GGUF' }).getByText('licence apache-2.0').waitFor()
  await found.getByRole('button', { name: 'Pull hf:someone/small-chat-GGUF' }).click()
  await dialog.waitFor({ state: 'detached' })
  await page.getByText('downloaded and verified').waitFor()
  await page.locator('article').getByText('someone/small-chat', { exact: false }).last().waitFor()
})

test('a hub that does not respond is reported, and a member is rejected', { skip: withoutChromium }, async () => {
  await using visit = await visitConsole(['--hub-url', 'http://127.0.0.1:9'])
  const { page } = visit
  await becomeOwner(visit)
  await openPage(page, 'Models')
  await page.getByRole('button', { name: 'Pull a model' }).click()
  await page.getByLabel('Search Hugging Face, or paste').fill('chat')
  await page.keyboard.press('Enter')
  const fault =
    /^Hugging Face could not be searched: 127\.0\.0\.1:9 cannot be reached from this server; .*[^.]\. A URL of another server still works\.$/
  await page.getByText(fault).waitFor()
  await page.getByRole('heading', { name: 'Suggested models' }).waitFor()
  assert.deepEqual(await findBarriers(page), [])
})
