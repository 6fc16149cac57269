import assert from 'node:assert/strict'
import { test } from 'node:test'
import { becomeOwner, bob, createAccount, openPage } from './support/console-visit.ts'
import { countedRequests } from './support/counted-requests.ts'
import { offerModel } from './support/offer-model.ts'
import { textOf } from './support/page-text.ts'
import { pullOffered } from './support/pull-offered.ts'
import { useConsole } from './support/use-console.ts'

const { skip, visit } = useConsole(becomeOwner)

test('an owner sees usage, models and the service, and loads and unloads models', { skip }, async () => {
  const { page } = visit()
  await page.getByRole('button', { name: 'What is the capital of Japan?' }).click()
  await page.locator('.turn-answer:is([data-state=done], [data-state=cut])').waitFor()
  await countedRequests(page, 1)
  await page.route('**/console/api/usage/report?*', async (route) => {
    const response = await route.fetch()
    const { rows } = await response.json()
    await route.fulfill({
      response,
      json: { rows: rows.map((row: object) => ({ ...row, latency: { p50: 840, p95: 12_340, p99: 65_000 } })) },
    })
  })
  await openPage(page, 'Usage')
  await page.getByRole('slider', { name: 'Requests per hour' }).waitFor()
  const sums = page.getByRole('table', { name: 'Usage totals' })
  await sums.getByRole('row', { name: /the console.* 840\sms 12\.3\ss 1\smin / }).waitFor()
  await page.unrouteAll({ behavior: 'wait' })
  const download = page.waitForEvent('download')
  await page.getByRole('link', { name: 'CSV', exact: true }).click()
  assert.equal((await download).suggestedFilename(), 'sepia-usage.csv')
  await openPage(page, 'Models')
  await page.getByRole('button', { name: 'Unload Sepia Mini Chat' }).click()
  await page.getByRole('button', { name: 'Load Sepia Mini Chat' }).click()
  await page.getByRole('button', { name: 'Unload Sepia Mini Chat' }).waitFor()
  await openPage(page, 'Service')
  await page.getByText('Memory, this process').waitFor()
})

test('an owner pulls a model and sees its progress', { skip }, async () => {
  const { page } = visit()
  await using shelf = await offerModel({ id: 'offered-chat', from: 'sepia-mini-chat' })
  await pullOffered(page, shelf)
  shelf.release()
  await page.getByText('8.0 MB downloaded and verified').waitFor()
  await page.getByRole('button', { name: 'Dismiss' }).click()
  await page.getByRole('button', { name: 'Dismiss' }).waitFor({ state: 'detached' })
})

test('a token is limited by its holder, and the rest is shown with the token and the account', { skip }, async () => {
  const { page } = visit()
  await openPage(page, 'Access tokens')
  await page.getByRole('button', { name: 'New token' }).first().click()
  await page.getByLabel('Name').fill('nightly job')
  await page.getByRole('button', { name: 'Create token' }).click()
  await page.getByRole('button', { name: 'Limits of nightly job' }).click()
  await page.getByText('in the currency of the models’ prices', { exact: true }).first().waitFor()
  await page.getByLabel('Money a month').fill('2.5')
  await page.getByLabel('Requests at once').fill('0')
  await page.getByText('A whole number from 1 to 1,000,000.').waitFor()
  await page.getByLabel('Requests at once').fill('3')
  await page.getByRole('button', { name: 'Save the limits' }).click()
  await page.getByText('Requests left at once: 3 of 3').waitFor()
  await page.getByText('Money left this month: 2.50 of 2.50').waitFor()
  await page
    .getByRole('link', { name: /Ada Lovelace|Account/ })
    .first()
    .click()
  await page.getByText('Your account has no limits of its own.').waitFor()
})

test('an owner limits an account by keyboard, and lifts the limit', { skip }, async () => {
  const { page } = visit()
  await openPage(page, 'People')
  await page.getByRole('button', { name: /^Limits of / }).press('Enter')
  await page.getByRole('dialog').waitFor()
  await page.getByLabel('Tokens a day').focus()
  await page.keyboard.type('20000')
  await page.keyboard.press('Tab')
  await page.keyboard.type('0')
  await page.keyboard.press('Enter')
  await page.getByText('20,000 tokens/day').waitFor()
  await page.getByText('0 images/day').waitFor()
  await page.getByRole('button', { name: /^Limits of / }).click()
  await page.getByLabel('Requests a minute').fill('0')
  await page.getByText('A whole number from 1 to 1,000,000.').waitFor()
  await page.getByLabel('Requests a minute').fill('')
  await page.getByLabel('Tokens a day').fill('')
  await page.getByLabel('Images a day').fill('')
  await page.getByRole('button', { name: 'Save the limits' }).click()
  await page.getByText('20,000 tokens/day').waitFor({ state: 'detached' })
})

test('two owners who set different limits of an account at the same time keep both', { skip }, async () => {
  const { page } = visit()
  const other = await page.context().newPage()
  await other.goto(page.url())
  for (const each of [page, other]) {
    await openPage(each, 'People')
    await each.getByRole('button', { name: /^Limits of / }).click()
    await each.getByRole('dialog').waitFor()
  }
  await other.getByLabel('Tokens a month').fill('5000')
  await other.getByRole('button', { name: 'Save the limits' }).click()
  await other.getByText('5,000 tokens/month').waitFor()
  await page.getByLabel('Images a month').fill('7')
  await page.getByRole('button', { name: 'Save the limits' }).click()
  await page.getByText('7 images/month').waitFor()
  assert.equal(await page.getByText('5,000 tokens/month').count(), 1)
  await other.close()
})

test('an invitation made at a loopback address says that its link works only on this machine', { skip }, async () => {
  const { page } = visit()
  await openPage(page, 'People')
  await page.getByRole('button', { name: 'Invite' }).click()
  await page.getByRole('button', { name: 'Create link' }).click()
  await page.getByRole('dialog').getByText('This link works only on this machine.').waitFor()
  await page.keyboard.press('Escape')
})

test('an invited member signs in, and finds no pages for owners', { skip }, async () => {
  const { page, browser } = visit()
  await openPage(page, 'People')
  await page.getByRole('button', { name: 'Invite' }).click()
  await page.getByRole('button', { name: 'Create link' }).click()
  const link = await textOf(page.getByRole('dialog').locator('code'))
  await page.keyboard.press('Escape')
  await page.getByText('Open invitations').waitFor()

  await using context = await browser.newContext()
  const other = await context.newPage()
  await createAccount(other, link, bob)
  await other.getByRole('heading', { level: 1, name: 'Chat' }).waitFor()
  assert.equal(await other.getByRole('link', { name: 'People' }).count(), 0)
})
