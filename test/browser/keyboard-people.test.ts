import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { byKeys } from './support/by-keys.ts'
import { becomeOwner, owner } from './support/console-visit.ts'
import { useConsole } from './support/use-console.ts'

let join = ''
const { skip, visit } = useConsole(becomeOwner)

const link = (page: Page, name: string) => page.getByRole('navigation', { name: 'Console' }).getByRole('link', { name, exact: true })
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

test('an invitation is created, copied and used by keyboard', { skip }, async () => {
  const { page, context } = visit()
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const keys = await byKeys(page)
  await keys.press(link(page, 'People'))
  await page.getByRole('heading', { level: 1, name: 'People' }).waitFor()
  await keys.press(button(page, 'Invite'))
  await keys.stand(page.getByLabel('Note (optional)'))
  await page.keyboard.type('Bob')
  await page.keyboard.press('Enter')
  await keys.expectAnnounced('Link created.')
  await keys.stand(button(page, 'Copy the link'))
  await page.keyboard.press('Enter')
  await keys.expectAnnounced('Copied')
  join = await page.evaluate<string>('navigator.clipboard.readText()')
  await page.keyboard.press('Escape')
  await keys.stand(button(page, 'Invite'))
  assert.match(join, /\/console\/join#/)
})

test('a person joins by keyboard', { skip }, async () => {
  const other = await (await visit().browser.newContext()).newPage()
  await other.goto(join)
  const keys = await byKeys(other)
  await keys.to(other.getByLabel('Name'))
  await other.keyboard.type('Bob')
  await keys.to(other.getByLabel('E-mail'))
  await other.keyboard.type('bob@example.org')
  await keys.to(other.getByLabel('Password'))
  await other.keyboard.type('under a blue moon')
  await other.keyboard.press('Enter')
  await other.getByRole('heading', { level: 1, name: 'Chat' }).waitFor()
  await keys.press(button(other, 'Sign out'))
  await other.getByText('You are signed out').waitFor()
  await other.close()
})

test('an invitation is withdrawn by keyboard', { skip }, async () => {
  const { page } = visit()
  const keys = await byKeys(page)
  await keys.press(button(page, 'Invite'))
  await keys.press(button(page, 'Create link'))
  await keys.stand(button(page, 'Copy the link'))
  await page.keyboard.press('Escape')
  // With the list that has Bob comes the one invitation that is still open.
  await button(page, 'Make owner Bob').waitFor()
  await keys.press(button(page, 'Withdraw'))
  await keys.expectAnnounced('Invitation withdrawn.')
  await button(page, 'Withdraw').waitFor({ state: 'detached' })
})

test('an account is promoted, demoted, disabled and enabled by keyboard', { skip }, async () => {
  const { page } = visit()
  const keys = await byKeys(page)
  await keys.press(button(page, 'Make owner Bob'), 'Shift+Tab')
  await keys.press(button(page, 'Make an owner'))
  await keys.expectAnnounced('Bob is now an owner.')
  await keys.stand(button(page, 'Make member Bob'))
  await page.keyboard.press('Enter')
  await keys.press(button(page, 'Make a member'))
  await keys.expectAnnounced('Bob is now a member.')
  await keys.press(button(page, 'Disable Bob'))
  await keys.press(page.getByRole('dialog').getByRole('button', { name: 'Disable', exact: true }))
  await keys.expectAnnounced('Bob is disabled.')
  await keys.press(button(page, 'Enable Bob'))
  await keys.expectAnnounced('Bob is enabled.')
  await button(page, 'Disable Bob').waitFor()
})

test('a token is created, shown and revoked by keyboard', { skip }, async () => {
  const { page } = visit()
  const keys = await byKeys(page)
  await keys.press(link(page, 'Access tokens'))
  await page.getByRole('heading', { level: 1, name: 'Access tokens' }).waitFor()
  await keys.press(button(page, 'New token').first())
  await keys.stand(page.getByLabel('Name'))
  await page.keyboard.type('by keys')
  await page.keyboard.press('Enter')
  await keys.stand(page.getByRole('region', { name: 'Your new token' }))
  await keys.to(button(page, 'Copy the token'))
  await keys.press(button(page, 'I’ve copied it'))
  await keys.press(button(page, 'Revoke by keys'))
  await keys.expectAnnounced('“by keys” revoked.')
  await button(page, 'Revoke by keys').waitFor({ state: 'detached' })
})

test('signing out and in works by keyboard', { skip }, async () => {
  const { page } = visit()
  const keys = await byKeys(page)
  await keys.press(button(page, 'Sign out'), 'Shift+Tab')
  await page.getByText('You are signed out').waitFor()
  const again = await byKeys(page)
  await again.to(page.getByLabel('E-mail'))
  await page.keyboard.type(owner.email)
  await again.to(page.getByLabel('Password'))
  await page.keyboard.type(owner.password)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'Access tokens' }).waitFor()
})
