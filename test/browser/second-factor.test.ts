import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { shownCode } from '../support/sign-in/shown-code.ts'
import { becomeOwner, createAccount, openPage, owner, visitConsole } from './support/console-visit.ts'
import { eventually } from './support/eventually.ts'
import { findBarriers } from './support/find-barriers.ts'
import { withoutChromium } from './support/open-chromium.ts'
import { textOf } from './support/page-text.ts'
import { settle } from './support/settle.ts'

async function showPassword(page: Page): Promise<void> {
  await page.getByLabel('E-mail').fill(owner.email)
  await page.getByLabel('Password').fill(owner.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

const lettersOf = async (page: Page) => (await textOf(page.locator('.secret-letters'))).replaceAll(' ', '')

/** A code that the app shows neither now nor a few minutes before and after. */
function wrongCode(letters: string): string {
  const steps = Array.from({ length: 20 }, (_, step) => Date.now() + (step - 10) * 30_000)
  const shown = new Set(steps.map((at) => shownCode(letters, at)))
  return Array.from({ length: 21 }, (_, digits) => String(digits).padStart(6, '0')).find((code) => !shown.has(code)) ?? ''
}

test('a second factor is set up with an app, requested at the next sign-in, and can be replaced by a recovery code', {
  skip: withoutChromium,
}, async () => {
  await using visited = await visitConsole()
  const { page, context, service, complaints } = visited
  await becomeOwner(visited)
  await page.goto(`${service.url}/console/account`)
  await page.getByRole('button', { name: 'Set up' }).click()
  const fault = (text: string) => page.getByRole('dialog').locator('.field-fault').getByText(text)
  await page.getByRole('dialog').getByLabel('Password').fill('a guess of somebody')
  await page.getByRole('button', { name: 'Continue' }).click()
  await fault('The password is wrong.').waitFor()
  await page.getByLabel('Password').and(page.locator(':focus')).waitFor()
  await page.getByRole('dialog').getByLabel('Password').fill(owner.password)
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('img', { name: 'QR code for an authenticator app' }).waitFor()
  assert.deepEqual(await findBarriers(page), [])
  await page.getByLabel('One-time code').fill(wrongCode(await lettersOf(page)))
  await page.getByRole('button', { name: 'Turn it on' }).click()
  await fault('This code is wrong').waitFor()
  await page.getByLabel('One-time code').fill(shownCode(await lettersOf(page), Date.now()))
  await page.getByRole('button', { name: 'Turn it on' }).click()
  await page.getByRole('heading', { name: 'Your recovery codes' }).waitFor()
  assert.deepEqual(await findBarriers(page), [])
  const codes = await page.locator('.recovery-codes code').allTextContents()
  assert.equal(codes.length, 10)
  await page.keyboard.press('Escape')
  await page.getByRole('dialog', { name: 'Close without saving the codes?' }).waitFor()
  assert.deepEqual(await findBarriers(page), [])
  await page.getByRole('button', { name: 'Back to the codes' }).click()
  assert.deepEqual(await page.locator('.recovery-codes code').allTextContents(), codes)
  await page.getByRole('button', { name: 'I’ve saved them' }).click()
  await page.getByText('10 of 10 recovery codes are left').waitFor()

  await context.clearCookies()
  await page.goto(`${service.url}/console/sign-in`)
  await showPassword(page)
  await page.getByLabel('One-time code').fill(codes[0] ?? '')
  assert.deepEqual(await findBarriers(page), [])
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { level: 1, name: 'Chat' }).waitFor()
  await openPage(page, 'Audit log')
  await page.getByText('recovery code used').waitFor()
  assert.deepEqual(complaints, [])
})

test('an owner who needs one sets it up at the sign-in', { skip: withoutChromium }, async () => {
  await using visited = await visitConsole(['--second-factor', 'owners'])
  const { page, service, complaints } = visited
  await createAccount(page, service.link, owner)
  await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor()
  await showPassword(page)
  await page.getByText('This service requires a second factor').waitFor()
  assert.deepEqual(await findBarriers(page), [])
  await page.getByLabel('One-time code').fill(shownCode(await lettersOf(page), Date.now()))
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('button', { name: 'I’ve saved them' }).click()
  await page.getByRole('heading', { level: 1, name: 'Chat' }).waitFor()
  assert.deepEqual(complaints, [])
})

test("an owner's actions for an account with a second factor fit on the page", { skip: withoutChromium }, async () => {
  await using visited = await visitConsole()
  const { page, context, browser, service } = visited
  await becomeOwner(visited)
  const headers = { origin: service.url }
  const ask = async (asker: typeof context, path: string, data: object) =>
    (await asker.request.post(`${service.url}/console/api/${path}`, { data, headers })).json()
  const { code: invitation } = await ask(context, 'invitations', { role: 'member' })
  const password = 'nanoseconds of wire'
  await using grace = await browser.newContext()
  await ask(grace, 'sign-up', { code: invitation, name: 'Grace Brewster Hopper', email: 'grace.hopper@example.org', password })
  const { secret } = await ask(grace, 'second-factor', { password })
  await ask(grace, 'second-factor/confirmation', { code: shownCode(secret, Date.now()) })
  await openPage(page, 'People')
  await page.getByRole('button', { name: 'Reset second factor of Grace Brewster Hopper' }).waitFor()
  for (const width of [1440, 1280, 1024, 768, 360]) {
    await page.setViewportSize({ width, height: 860 })
    await settle(page)
    const overflow =
      "Math.max(...[document.documentElement, ...document.querySelectorAll('.ledger-scroll')].map((each) => each.scrollWidth - each.clientWidth))"
    await eventually(async () => assert.equal(await page.evaluate(overflow), 0, `at ${width} pixels`))
  }
})
