import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { becomeOwner, bob, createAccount, grace, openPage } from './support/console-visit.ts'
import { countedRequests } from './support/counted-requests.ts'
import { offerModel } from './support/offer-model.ts'
import { pullOffered } from './support/pull-offered.ts'
import { useConsole } from './support/use-console.ts'

let member: Page | null = null

const { skip, visit } = useConsole(async (started) => {
  await becomeOwner(started)
  const { service, browser, page } = started
  const headers = { origin: service.url }
  const made = await page.request.post(`${service.url}/console/api/invitations`, { data: { role: 'member' }, headers })
  member = await (await browser.newContext()).newPage()
  await createAccount(member, `${service.url}/console/join#${(await made.json()).code}`, bob)
  await member.getByRole('heading', { level: 1, name: 'Chat' }).waitFor()
})

function bobsPage(): Page {
  if (member === null) throw new Error('Nobody joined')
  return member
}

/** Sends a chat completion as the person who is signed in there. @returns tokens, as the service counted them. */
async function ask(page: Page, content: string): Promise<number> {
  const body = JSON.stringify({ model: 'sepia-mini-chat', messages: [{ role: 'user', content }], max_tokens: 3 })
  const answer = await page.evaluate<{ usage: { total_tokens: number } }>(
    `fetch('/v1/chat/completions', { method: 'POST', headers: { 'content-type': 'application/json' }, body: ${JSON.stringify(body)} })
      .then((answer) => answer.json())`,
  )
  return answer.usage.total_tokens
}

test('the form of a link that was used meanwhile leads to the sign-in', { skip }, async () => {
  const { browser, page, service } = visit()
  const made = await page.request.post(`${service.url}/console/api/invitations`, {
    data: { role: 'member' },
    headers: { origin: service.url },
  })
  const link = `${service.url}/console/join#${(await made.json()).code}`
  const [first, late] = await Promise.all([1, 2].map(async () => (await browser.newContext()).newPage()))
  assert.ok(first && late)
  await late.goto(link)
  await late.getByLabel('Name').waitFor()
  await createAccount(first, link, grace)
  await first.getByRole('heading', { level: 1, name: 'Chat' }).waitFor()
  await late.getByLabel('Name').fill(grace.name)
  await late.getByLabel('E-mail').fill(grace.email)
  await late.getByLabel('Password').fill(grace.password)
  await late.getByRole('button', { name: 'Create the account' }).click()
  await late.getByRole('alert').waitFor()
  await late.getByRole('link', { name: 'Sign in', exact: true }).click()
  await late.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor()
  await Promise.all([first.close(), late.close()])
})

test('usage by person adds up to the answers, and so do the latencies', { skip }, async () => {
  const { page } = visit()
  const adas = (await ask(page, 'What is 17 + 25?')) + (await ask(page, 'Hi'))
  const bobs = await ask(bobsPage(), 'Tell me a short story about a fox.')
  await countedRequests(page, 2)
  await countedRequests(bobsPage(), 1)
  await openPage(page, 'Usage')
  await page.getByLabel('Everyone').check()
  const sums = page.getByRole('region', { name: 'By access token, model and time' })
  await sums.getByRole('radio', { name: 'Person' }).check()
  const cells = (name: string) =>
    sums
      .getByRole('row', { name: new RegExp(`^${name}`) })
      .getByRole('cell')
      .allTextContents()
  await sums.getByRole('row', { name: /^Bob/ }).waitFor()
  // Person, requests, failed, refused, tokens, images; the models have no prices, so there is no money.
  assert.deepEqual((await cells('Ada Lovelace')).slice(0, 6), ['Ada Lovelace', '2', '0', '0', String(adas), '0'])
  const [, , , , tokens, , half, most, all] = await cells('Bob')
  assert.equal(tokens, String(bobs))
  assert.match(half ?? '', /^[\d.]+\s(ms|s|min)$/)
  assert.deepEqual([most, all], [half, half], 'of one request every share took as long')
  await page.getByRole('radio', { name: 'By person' }).check()
  const days = page.getByRole('table', { name: 'Usage by day and model' })
  await days
    .getByRole('row', { name: /Ada Lovelace/ })
    .getByRole('cell', { name: '2', exact: true })
    .waitFor()
})

test("a member sees the progress, rate and remaining time of an owner's pull", { skip }, async () => {
  const { page } = visit()
  await using offered = await offerModel({ id: 'second-chat', from: 'sepia-mini-chat' })
  await pullOffered(page, offered)
  await openPage(bobsPage(), 'Models')
  await bobsPage().getByRole('progressbar').waitFor()
  await bobsPage().route('**/console/api/models', async (route) => {
    const answer = await route.fetch()
    const body = await answer.json()
    const pulls = body.pulls.map((pull: object) => ({ ...pull, bytesDone: 30e6, bytesTotal: 90e6, bytesPerSecond: 4e6 }))
    await route.fulfill({ response: answer, json: { ...body, pulls } })
  })
  await bobsPage().getByText('30.0 MB of 90.0 MB · 4.0 MB a second · 15.0 s left').waitFor()
  await bobsPage().unrouteAll({ behavior: 'wait' })
  assert.equal(await bobsPage().getByRole('button', { name: 'Pull a model' }).count(), 0)
  offered.release()
  await bobsPage()
    .getByRole('article')
    .filter({ has: bobsPage().getByText('second-chat', { exact: true }) })
    .waitFor()
})
