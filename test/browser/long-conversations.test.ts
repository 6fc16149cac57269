import assert from 'node:assert/strict'
import { test } from 'node:test'
import { becomeOwner } from './support/console-visit.ts'
import { keepConversation } from './support/keep-conversation.ts'
import { useConsole } from './support/use-console.ts'

const { skip, visit } = useConsole(becomeOwner)

test('a long conversation opens at its end; earlier messages are plain text until scrolled near', { skip }, async () => {
  const { page, service } = visit()
  await page.goto(`${service.url}/console/chat/${await keepConversation(page, 80)}`)
  const answers = page.locator('.turn-answer')
  await answers.nth(39).getByRole('table').waitFor()
  await page.locator('.turns-far').first().waitFor({ state: 'attached' })
  await page.getByText('Question 0').waitFor({ state: 'attached' })
  await page.keyboard.press('Control+Home')
  await answers.first().getByRole('table').waitFor()
  await answers.first().getByRole('button', { name: 'Regenerate' }).waitFor()
  await page.locator('.turns-far').first().waitFor({ state: 'attached' })
})

const paste = (characters: number) => `{
  const clipboardData = new DataTransfer()
  clipboardData.setData('text/plain', 'word '.repeat(${characters / 5}))
  document.querySelector('.composer textarea').dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
}`

test('overlong pasted text is attached as a file, up to 1 MB', { skip }, async () => {
  const { page, service } = visit()
  await page.goto(`${service.url}/console/chat`)
  await page.getByLabel('Your message').fill('Sum this up.')
  await page.evaluate(paste(60_000))
  await page.getByRole('button', { name: 'Remove Pasted text.txt' }).click()
  await page.evaluate(paste(2_000_000))
  await page.getByText('Pasted text.txt is larger than 1 MB; attach a part of it.').waitFor()
  assert.equal(await page.getByLabel('Your message').inputValue(), 'Sum this up.')
})
