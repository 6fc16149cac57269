import assert from 'node:assert/strict'
import { test } from 'node:test'
import { becomeOwner, draw, openPage } from './support/console-visit.ts'
import { copiedBy } from './support/copied-by.ts'
import { eventually } from './support/eventually.ts'
import { findBarriers } from './support/find-barriers.ts'
import { textOf } from './support/page-text.ts'
import { runLine } from './support/run-line.ts'
import { untilTrue } from './support/until-true.ts'
import { useConsole } from './support/use-console.ts'

const { skip, visit } = useConsole(becomeOwner)

async function ask(path: string, body: object, headers: Record<string, string> = {}): Promise<void> {
  const { service } = visit()
  const response = await fetch(`${service.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${service.token}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  assert.ok(response.ok, await response.clone().text())
}

test('a drawing is listed with its prompt, picture and duration', { skip }, async () => {
  const { page } = visit()
  await openPage(page, 'Images')
  await draw(page, 'a red apple <b>on</b> a plate')
  await page.locator('.run[data-state=done] img').waitFor()
  await openPage(page, 'Requests')
  const row = page.locator('.ledger tbody tr', { hasText: 'a red apple <b>on</b> a plate' })
  await row.locator('img').waitFor()
  for (const part of ['done', 'console', 'sepia-mini-image', /\d\s(ms|s|min)/]) await row.filter({ hasText: part }).waitFor()
})

test('requests of a program are listed with the token name, synchronous ones without their text', { skip }, async () => {
  const { page } = visit()
  const chat = { model: 'sepia-mini-chat', messages: [{ role: 'user', content: 'What is the capital of Japan?' }], max_tokens: 8 }
  await ask('/v1/chat/completions', chat)
  await ask('/v1/chat/completions', { ...chat, messages: [{ role: 'user', content: 'A deferred question' }] }, { 'x-service-async': '1' })
  await page.reload()
  await page.locator('.ledger tbody tr', { hasText: 'A deferred question' }).waitFor()
  const atOnce = page.locator('.ledger tbody tr', { hasText: /tokens/ })
  await atOnce.waitFor()
  assert.doesNotMatch(await textOf(atOnce), /Japan/)
  await page.getByLabel('Status').selectOption('Synchronous')
  await page.locator('.ledger tbody tr', { hasText: 'deferred' }).waitFor({ state: 'detached' })
  await eventually(async () => assert.equal(await page.locator('.ledger tbody tr').count(), 1))
  await page.getByLabel('Status').selectOption('All')
})

test('requests are found by text and kind, and owners find those of all accounts', { skip }, async () => {
  const { page } = visit()
  await page.getByLabel('Search prompts').fill('APPLE')
  await page.locator('.ledger tbody tr', { hasText: 'deferred' }).waitFor({ state: 'detached' })
  await page.locator('.ledger tbody tr', { hasText: 'a red apple' }).waitFor()
  await page.getByLabel('Search prompts').fill('nothing of the kind')
  await page.getByRole('heading', { name: 'No matches' }).waitFor()
  await page.getByLabel('Search prompts').fill('')
  await page.getByLabel('Type', { exact: true }).selectOption('Chat')
  await page.locator('.ledger tbody tr', { hasText: 'a red apple' }).waitFor({ state: 'detached' })
  await page.getByLabel('Type', { exact: true }).selectOption('All')
  await page.getByLabel('Everyone’s').check()
  await page.getByRole('columnheader', { name: 'Who' }).waitFor()
  assert.deepEqual(await findBarriers(page), [])
})

test('a request shows its input and its time to the millisecond, and can be run again', { skip }, async () => {
  const { page } = visit()
  await openPage(page, 'Requests')
  await page.getByRole('link', { name: /a red apple/ }).click()
  const head = page.locator('.page-head')
  assert.equal(await copiedBy(head.getByRole('button', { name: 'Copy' })), await textOf(head.locator('code')))
  const input = page.getByRole('region', { name: 'Input' })
  await input.getByText('"prompt": "a red apple <b>on</b> a plate"').waitFor()
  await page
    .locator('.timeline')
    .getByText(/\+[\d,.]+\s(ms|s|min)/)
    .first()
    .waitFor()
  assert.match(await textOf(page.locator('.timeline time').first()), /[.,]\d{3}/)
  const before = page.url()
  await input.getByRole('button', { name: 'Run again' }).click()
  await page.waitForURL((url) => url.href !== before)
  await page.locator('.gallery img').waitFor()
  assert.deepEqual(await findBarriers(page), [])
})

test('the code sample of a request runs, and every client has one', { skip }, async () => {
  const { page, service } = visit()
  const input = page.getByRole('region', { name: 'Input' })
  await input.getByRole('button', { name: 'Show as code' }).click()
  for (const client of ['@octoai/client', '@octoai/sdk', 'openai', 'Python'])
    await input.getByRole('tab', { name: client, exact: true }).waitFor()
  const line = await textOf(input.getByRole('tabpanel'))
  const { images } = JSON.parse(await runLine(line, { TOKEN: service.token }))
  assert.equal(images.length, 1)
})

test('a request without stored files is marked, and cannot be run again', { skip }, async () => {
  const { page } = visit()
  await openPage(page, 'Images')
  await draw(page, 'an apple')
  await page.locator('.run').first().getByRole('button', { name: 'Use as starting image' }).click()
  await page.locator('.draw-bar').getByText('starts from an image').waitFor()
  await draw(page, 'a golden apple')
  await page.locator('.run').first().and(page.locator('[data-state=done]')).waitFor()
  await openPage(page, 'Requests')
  await page.getByRole('link', { name: /a golden apple/ }).click()
  await page.getByText('Its files and long texts aren’t stored').waitFor()
  await page.getByRole('button', { name: 'Run again', disabled: true }).waitFor()
})

test('a synchronous request has a page, and a request log switched on by an owner shows its text', {
  skip,
}, async () => {
  const { page } = visit()
  const question = { model: 'sepia-mini-chat', messages: [{ role: 'user', content: 'What is the capital of Spain?' }], max_tokens: 8 }
  await ask('/v1/chat/completions', question)
  await openPage(page, 'Requests')
  await page.getByLabel('Status').selectOption('Synchronous')
  // What was listed before stays until the answer is there.
  await page.locator('.ledger tbody:not(:has-text("apple"))').waitFor()
  await page.locator('.ledger tbody tr').first().getByRole('link').click()
  await page.locator('.timeline').getByText('Answered', { exact: true }).waitFor()
  await page.getByText('An owner can turn on the request log.').waitFor()
  assert.deepEqual(await findBarriers(page), [])
  await openPage(page, 'People')
  await page.getByRole('button', { name: /^Request log of/ }).click()
  await page.getByLabel('Keep each for (hours)').fill('0')
  await page.getByText(/A whole number of hours from 1 to/).waitFor()
  await page.getByLabel('Keep each for (hours)').fill('48')
  assert.deepEqual(await findBarriers(page), [])
  await page.getByRole('button', { name: 'Log from now on' }).click()
  await page.getByRole('button', { name: 'Turn off' }).waitFor()
  await page.keyboard.press('Escape')
  await page.locator('.ledger').getByText('logged').waitFor()
  await page.reload()
  await page.getByText(/has logged your requests/).waitFor()
  await ask('/v1/chat/completions', question)
  // Its text is logged after the answer.
  await untilTrue(
    page,
    `fetch('/console/api/requests?way=synchronous')
    .then((response) => response.json())
    .then(({ requests }) => fetch('/console/api/requests/' + requests[0].key))
    .then((response) => response.json())
    .then(({ logged }) => logged)`,
  )
  await openPage(page, 'Requests')
  await page.getByLabel('Status').selectOption('Synchronous')
  // What was listed before stays until the answer is there.
  await page.locator('.ledger tbody:not(:has-text("apple"))').waitFor()
  await page.locator('.ledger tbody tr').first().getByRole('link').click()
  await page.getByRole('button', { name: 'Show request and answer' }).click()
  await page.getByRole('region', { name: 'Input' }).getByText('What is the capital of Spain?').waitFor()
  await page.getByRole('region', { name: 'Answer', exact: true }).getByText('"chat.completion"').waitFor()
  assert.deepEqual(await findBarriers(page), [])
  await openPage(page, 'People')
  await page.getByRole('button', { name: /^Request log of/ }).click()
  await page.getByRole('button', { name: 'Turn off' }).click()
  await page.getByRole('button', { name: 'Delete stored requests and answers…' }).click()
  await page.getByRole('button', { name: 'Delete all' }).click()
  await page.getByText(/The log holds/).waitFor({ state: 'detached' })
})

test('times are relative to the clock of the service in a browser whose clock is an hour ahead', { skip }, async () => {
  const { page, context, service } = visit()
  const messages = [{ role: 'user', content: 'Just now' }]
  await ask('/v1/chat/completions', { model: 'sepia-mini-chat', messages, max_tokens: 2 }, { 'x-service-async': '1' })
  const fast = await context.newPage()
  await fast.addInitScript('{ const right = Date.now; Date.now = () => right() + 3_600_000 }')
  await fast.goto(`${service.url}/console/requests`)
  await fast
    .locator('.ledger tbody tr')
    .first()
    .getByText(/^(just now|[1-9]\smin ago)$/)
    .first()
    .waitFor()
  await fast.close()
  await page.bringToFront()
})
