import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { becomeOwner, openPage, owner, visitConsole } from './support/console-visit.ts'
import { findBarriers } from './support/find-barriers.ts'
import { withoutChromium } from './support/open-chromium.ts'
import { openSlowProxy } from './support/slow-proxy.ts'

/** A key that Chromium holds, and that says yes to everything. */
async function addAuthenticator(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page)
  await session.send('WebAuthn.enable')
  await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
}

test('a passkey is added by name, signs in, and is removed', { skip: withoutChromium }, async () => {
  // Passkeys are bound to the public address, which has to be known before the service listens: something in front of it has it.
  let behind = ''
  await using proxy = await openSlowProxy(() => behind)
  const url = proxy.url.replace('127.0.0.1', 'localhost')
  await using visited = await visitConsole(['--public-url', url])
  const { page, context, service, complaints } = visited
  behind = service.url
  await addAuthenticator(page)
  await becomeOwner(visited)
  await page.goto(`${url}/console/account`)
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await page.getByRole('dialog').getByLabel('Name').fill('this laptop')
  await page.getByRole('dialog').getByLabel('Password').fill(owner.password)
  assert.deepEqual(await findBarriers(page), [])
  await page.getByRole('button', { name: 'Continue' }).click()
  const row = page.getByRole('table', { name: 'Passkeys' }).getByRole('row', { name: /this laptop/ })
  await row.getByText('never').waitFor()

  await context.clearCookies()
  await page.goto(`${url}/console/sign-in`)
  await page.getByRole('button', { name: 'Sign in with a passkey' }).waitFor()
  assert.deepEqual(await findBarriers(page), [])
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await page.getByRole('heading', { level: 1, name: 'Chat' }).waitFor()
  await openPage(page, 'Audit log')
  await page.getByText('with the passkey this laptop').waitFor()
  await page.goto(`${url}/console/account`)
  await page.getByRole('button', { name: 'Remove this laptop' }).click()
  await row.waitFor({ state: 'detached' })

  await context.clearCookies()
  await page.goto(`${url}/console/sign-in`)
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await page.getByRole('alert').getByText('unknown here').waitFor()
  assert.deepEqual(complaints, [])
})
