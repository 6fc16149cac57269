import assert from 'node:assert/strict'
import { test } from 'node:test'
import { becomeOwner } from './support/console-visit.ts'
import { eventually } from './support/eventually.ts'
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

test('a very long answer is shown in parts, so that the page can be used', { skip }, async () => {
  const { page, service } = visit()
  const id = 'verylong'.padEnd(24, 'x')
  await page.evaluate(`(async () => {
    const put = (path, body) =>
      fetch('/console/api/conversations/${id}' + path, { method: 'PUT', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
    const [said, answer] = ['said', 'answer'].map((name) => name.padEnd(24, 'x'))
    const common = { files: [], state: 'done', at: 1 }
    await put('', { title: 'Very long', pinned: false, leaf: answer })
    await put('/turns/' + said, { ...common, role: 'user', content: 'Write it all.', model: null, parent: null })
    await put('/turns/' + answer, { ...common, role: 'assistant', content: 'One **line** of many.\\n\\n'.repeat(80_000) + 'The end.', model: 'sepia-mini-chat', parent: said })
  })()`)
  await page.goto(`${service.url}/console/chat/${id}`)
  const answer = page.locator('.turn-answer')
  await answer.getByText('One line of many.').first().waitFor()
  const before = await answer.locator('p').count()
  await answer.getByRole('button', { name: 'Show more of the answer' }).click()
  await eventually(async () => assert.equal(Math.round((await answer.locator('p').count()) / before), 2))
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
