import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import type { Locator } from 'playwright-core'
import { becomeOwner, type ConsoleVisit, draw, openPage, owner, visitConsole } from './support/console-visit.ts'
import { withoutChromium } from './support/open-chromium.ts'

const skip = withoutChromium
let visit: ConsoleVisit

if (skip === false) {
  before(async () => {
    visit = await visitConsole()
  })
  after(() => visit[Symbol.asyncDispose]())
}

test('the printed link makes the owner, and works once', { skip }, async () => {
  const { page, service } = visit
  await becomeOwner(visit)
  const second = await page.context().newPage()
  await second.goto(service.link)
  await second.getByText('This link was used already').waitFor()
  await second.close()
})

test('an answer is streamed, counted, and can be had again', { skip }, async () => {
  const { page } = visit
  const response = page.waitForResponse((each) => each.url().endsWith('/v1/chat/completions'))
  await page.getByLabel('Your message').fill('What is the capital of Portugal?')
  await page.keyboard.press('Enter')
  assert.match((await response).headers()['content-type'] ?? '', /^text\/event-stream/)
  const answer = page.locator('.turn-answer')
  await answer.getByText('Lisbon').waitFor()
  await answer.getByText(/15 tokens read · \d+ written/).waitFor()
  await page.getByRole('button', { name: 'Regenerate' }).click()
  await page.locator('.turn-answer[data-state=done]').waitFor()
  assert.equal(await answer.count(), 1)
})

test('an answer can be stopped', { skip }, async () => {
  const { page } = visit
  await page.route('**/v1/chat/completions', () => {})
  await page.getByLabel('Your message').fill('Tell me a story.')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Stop' }).click()
  await page.locator('.turn-answer[data-state=stopped]').getByText('stopped by you').waitFor()
  await page.unroute('**/v1/chat/completions')
})

test('an answer that breaks off says so and keeps what was written', { skip }, async () => {
  const { page } = visit
  await page.route('**/v1/chat/completions', async (route) => {
    const first = { choices: [{ index: 0, delta: { content: 'Once upon' }, finish_reason: null }] }
    await route.fulfill({ contentType: 'text/event-stream', body: `data: ${JSON.stringify(first)}\n\n` })
  })
  await page.getByLabel('Your message').fill('Tell me a story.')
  await page.keyboard.press('Enter')
  await page.locator('.turn-answer').last().getByText('The answer broke off').waitFor()
  await page.locator('.turn-answer').last().getByText('Once upon').waitFor()
  await page.unroute('**/v1/chat/completions')
})

test('the conversation is shown as code that really runs', { skip }, async () => {
  const { page, service } = visit
  await page.getByRole('button', { name: 'New conversation' }).click()
  await page.getByRole('button', { name: 'Show as code' }).click()
  const line = await textOf(page.getByRole('tabpanel'))
  const answer = await run(line, { TOKEN: service.token })
  assert.equal(JSON.parse(answer).object, 'chat.completion')
  await page.keyboard.press('Escape')
})

test('a picture comes into being before one’s eyes', { skip }, async () => {
  const { page } = visit
  await openPage(page, 'Images')
  await draw(page, 'a glossy tiger on a light blue background')
  await page.getByText(/Step \d+ of 20/).waitFor()
  await page.getByAltText('What it looks like so far').waitFor()
  await page.locator('.run[data-state=done] img').waitFor()
  const decoded = "(async (image) => (await image.decode(), image.naturalWidth))(document.querySelector('.run[data-state=done] img'))"
  assert.equal(await page.evaluate(decoded), 256)
})

test('a picture hangs in the gallery with the settings it was drawn with', { skip }, async () => {
  const { page } = visit
  await openPage(page, 'Gallery')
  await page.locator('.gallery button').first().click()
  await page.getByRole('dialog').getByText('a glossy tiger on a light blue background').waitFor()
  await page.getByRole('button', { name: 'Use its settings' }).click()
  await page.getByRole('heading', { level: 1, name: 'Images' }).waitFor()
  assert.match(await page.getByLabel('Seed', { exact: true }).inputValue(), /^\d+$/)
})

test('a drawing can be cancelled, and its request tells so', { skip }, async () => {
  const { page } = visit
  await page.getByRole('button', { name: 'Random again' }).click()
  await page.getByLabel('Images', { exact: true }).fill('16')
  await page.getByLabel('Images', { exact: true }).press('Tab')
  await draw(page, 'a red apple')
  await page.getByText(/Step \d+ of/).waitFor()
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.locator('.run[data-state=cancelled]').waitFor()
  await openPage(page, 'Requests')
  await page.locator('.ledger tbody tr', { hasText: 'cancelled' }).getByRole('link').click()
  await page.locator('.timeline').getByText('Cancelled').waitFor()
})

test('a new token works with the curl line beside it, until it is revoked; undo brings it back', { skip }, async () => {
  const { page, service } = visit
  await openPage(page, 'Access tokens')
  await page.getByRole('button', { name: 'New token' }).first().click()
  await page.getByLabel('Name').fill('Nightly report')
  await page.getByRole('button', { name: 'Make the token' }).click()
  const token = await textOf(page.locator('[data-token]'))
  const answer = JSON.parse(await run(await textOf(page.getByRole('tabpanel')), {}))
  assert.match(answer.choices[0].message.content, /Paris/)

  const status = async () => (await fetch(`${service.url}/v1/models`, { headers: { authorization: `Bearer ${token}` } })).status
  const row = page.getByRole('row', { name: /Nightly report/ })
  await row.getByRole('button', { name: 'Revoke' }).click()
  await row.getByText('revoked').waitFor()
  await becomes(status, 401)
  await page.getByRole('button', { name: 'Undo' }).click()
  await row.getByRole('button', { name: 'Revoke' }).waitFor()
  await becomes(status, 200)
})

test('an owner sees usage, models and the service, and loads and unloads', { skip }, async () => {
  const { page } = visit
  await openPage(page, 'Usage')
  await page.getByRole('img', { name: /^Requests per day/ }).waitFor()
  const download = page.waitForEvent('download')
  await page.getByRole('link', { name: 'CSV' }).click()
  assert.equal((await download).suggestedFilename(), 'sepia-usage.csv')
  await openPage(page, 'Models')
  await page.getByRole('button', { name: 'Unload Sepia Mini Chat' }).click()
  await page.getByRole('button', { name: 'Load Sepia Mini Chat' }).click()
  await page.getByRole('button', { name: 'Unload Sepia Mini Chat' }).waitFor()
  await openPage(page, 'Service')
  await page.getByText('Memory, this process').waitFor()
})

test('an invited member signs in, and finds no pages of owners', { skip }, async () => {
  const { page, browser } = visit
  await openPage(page, 'People')
  await page.getByRole('button', { name: 'Invite' }).click()
  await page.getByRole('button', { name: 'Make the link' }).click()
  const link = await textOf(page.getByRole('dialog').locator('code'))
  await page.keyboard.press('Escape')
  await page.getByText('Open invitations').waitFor()

  await using context = await browser.newContext()
  const other = await context.newPage()
  await other.goto(link)
  await other.getByLabel('Name').fill('Bob')
  await other.getByLabel('E-mail').fill('bob@example.org')
  await other.getByLabel('Password').fill('under a blue moon')
  await other.getByRole('button', { name: 'Create the account' }).click()
  await other.getByRole('heading', { level: 1, name: 'Chat' }).waitFor()
  assert.equal(await other.getByRole('link', { name: 'People' }).count(), 0)
})

test('signing out ends the session, and a wrong password says so', { skip }, async () => {
  const { page, context, service } = visit
  const [cookie] = await context.cookies()
  assert.equal(cookie?.httpOnly, true)
  assert.equal(cookie?.sameSite, 'Strict')
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor()
  const reused = await fetch(`${service.url}/v1/models`, { headers: { cookie: `${cookie?.name}=${cookie?.value}` } })
  assert.equal(reused.status, 401)

  await page.getByLabel('E-mail').fill(owner.email)
  await page.getByLabel('Password').fill('not the password')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('alert').getByText('do not belong together').waitFor()
  await page.getByLabel('Password').fill(owner.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { level: 1, name: 'People' }).waitFor()
})

test('the pages ran without a script error or a refusal by their own content policy', { skip }, () => {
  // Refused requests are logged by the browser too; those above were meant to be refused.
  assert.deepEqual(
    visit.complaints.filter((text) => !text.startsWith('Failed to load resource')),
    [],
  )
})

async function textOf(locator: Locator): Promise<string> {
  return (await locator.textContent()) ?? ''
}

/** Runs a line of the page in a shell. */
async function run(line: string, environment: Readonly<Record<string, string>>): Promise<string> {
  const { stdout } = await promisify(execFile)('sh', ['-c', line], { env: { ...process.env, ...environment } })
  return stdout
}

/** Asks until the answer is the wanted one; a revocation is seen within five seconds. */
async function becomes(ask: () => Promise<number>, wanted: number): Promise<void> {
  const end = Date.now() + 8000
  for (let answer = await ask(); answer !== wanted; answer = await ask())
    if (Date.now() > end) assert.fail(`It answered ${answer} instead of ${wanted}.`)
}
