import assert from 'node:assert/strict'
import { test } from 'node:test'
import { becomeOwner } from './support/console-visit.ts'
import { findBarriers } from './support/find-barriers.ts'
import { useConsole } from './support/use-console.ts'

const { skip, visit } = useConsole()

test('`/` tells where to find the first link before it is used, and opens the console for the owner afterwards', { skip }, async () => {
  const { page, service, context, browser } = visit()
  await page.goto(service.url)
  await page.getByRole('heading', { level: 1, name: 'Almost there' }).waitFor()
  await page.getByText('Open the console:').waitFor()
  await page.getByText('./sepia account list').waitFor()
  assert.equal(await page.getByLabel('Password').count(), 0, 'no account has a password yet')
  assert.deepEqual(await findBarriers(page), [])
  const elsewhere = await (await browser.newContext()).newPage()
  await elsewhere.goto(service.url)
  await elsewhere.getByRole('heading', { level: 1, name: 'Almost there' }).waitFor()
  const other = await context.newPage()
  await becomeOwner({ page: other, service })
  await other.close()
  await page.getByRole('heading', { level: 1, name: /Chat|Page not found/ }).waitFor()
  await elsewhere.getByRole('button', { name: 'I’ve opened the link' }).click()
  await elsewhere.getByText('Welcome. Sign in to chat').waitFor()
  await elsewhere.context().close()
})

test('a used link is reported, with a link to continue', { skip }, async () => {
  const { page, service } = visit()
  await page.goto(service.link)
  await page.getByRole('heading', { level: 1, name: 'Invalid or used link' }).waitFor()
  assert.deepEqual(await findBarriers(page), [])
  await page.getByRole('link', { name: 'Sign in, or continue if you’re signed in' }).click()
  await page.getByRole('heading', { level: 1, name: 'Chat' }).waitFor()
})

test('signing out is confirmed; a later visitor is welcomed; an ended session is reported on its page', {
  skip,
}, async () => {
  const { page, service, context } = visit()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByText('You are signed out.').waitFor()
  assert.deepEqual(await findBarriers(page), [])
  await page.goto(service.url)
  await page.getByText('Welcome. Sign in to chat').waitFor()
  await page.getByLabel('E-mail').fill('ada@example.org')
  await page.getByLabel('Password').fill('a poet of science')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'Chat' }).waitFor()
  await context.clearCookies()
  // By the page itself: it may notice the end before a press from outside lands, and then has no link any more.
  await page.evaluate(`document.querySelector('a[href="/console/usage"]')?.click()`)
  await page.getByText('You were signed out.').waitFor()
  assert.deepEqual(await findBarriers(page), [])
})

test('a browser without cookies is reported at the sign-in', { skip }, async () => {
  const { page, service, context } = visit()
  await page.goto(`${service.url}/console/sign-in`)
  await page.route('**/console/api/session', async (route) => {
    const response = await route.fetch()
    await context.clearCookies()
    const headers = Object.entries(response.headers()).filter(([name]) => name !== 'set-cookie')
    await route.fulfill({ response, headers: Object.fromEntries(headers) })
  })
  await page.getByLabel('E-mail').fill('ada@example.org')
  await page.getByLabel('Password').fill('a poet of science')
  await page.keyboard.press('Enter')
  await page.getByRole('alert').getByText('Your browser blocks cookies.').waitFor()
})
