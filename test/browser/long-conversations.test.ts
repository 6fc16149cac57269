import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Locator } from 'playwright-core'
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

/** Stores a conversation whose only answer is the value of an expression followed by "The end.", and opens it. */
async function openAnswer({ id, content, state }: { id: string; content: string; state: 'done' | 'cut' }): Promise<Locator> {
  const { page, service } = visit()
  const address = `/console/api/conversations/${id.padEnd(24, 'x')}`
  await page.evaluate(`(async () => {
    const put = (path, body) =>
      fetch('${address}' + path, { method: 'PUT', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
    const [said, answer] = ['said', 'answer'].map((name) => ('${id}' + name).padEnd(24, 'x'))
    const common = { files: [], at: 1 }
    await put('', { title: 'Very long', pinned: false, leaf: answer })
    await put('/turns/' + said, { ...common, state: 'done', role: 'user', content: 'Write it all.', model: null, parent: null })
    const written = { role: 'assistant', content: ${content} + 'The end.', model: 'sepia-mini-chat', parent: said }
    await put('/turns/' + answer, { ...common, state: '${state}', ...written })
  })()`)
  await page.goto(`${service.url}/console/chat/${id.padEnd(24, 'x')}`)
  return page.locator('.turn-answer')
}

test('a very long answer is shown in parts, so that the page can be used', { skip }, async () => {
  const answer = await openAnswer({ id: 'verylong', content: "'One **line** of many.\\n\\n'.repeat(80_000)", state: 'done' })
  await answer.getByText('One line of many.').first().waitFor()
  const before = await answer.locator('p').count()
  await answer.getByRole('button', { name: 'Show more of the answer' }).click()
  await eventually(async () => assert.equal(Math.round((await answer.locator('p').count()) / before), 2))
})

test('a very long answer that was continued stays as it is shown', { skip }, async () => {
  const { page } = visit()
  const answer = await openAnswer({ id: 'continued', content: "'word '.repeat(50_000)", state: 'cut' })
  await answer.getByRole('button', { name: 'Show more of the answer' }).waitFor()
  const { promise: letGo, resolve } = Promise.withResolvers<void>()
  await page.route('**/v1/chat/completions', async (route) => {
    await letGo
    await route.fulfill({ status: 400, json: { error: { code: 'invalid_request_error', message: 'It cannot be continued.' } } })
  })
  await answer.getByRole('button', { name: 'Continue' }).click()
  const end = answer.getByText(/The end\.$/)
  await end.waitFor()
  resolve()
  await answer.getByText('It cannot be continued.').waitFor()
  assert.equal(await end.count(), 1)
  await page.unrouteAll()
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
