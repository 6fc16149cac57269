import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { startProvider } from '../support/sign-in/openid-provider.ts'
import { createTemporaryFolder } from '../support/temporary-folder.ts'
import { becomeOwner, openPage, owner, visitConsole } from './support/console-visit.ts'
import { findBarriers } from './support/find-barriers.ts'
import { withoutChromium } from './support/open-chromium.ts'

const bob = { sub: 'bob', name: 'Bob Builder', email: 'bob@example.org', email_verified: true, groups: ['staff'] }

async function visit(...flags: readonly string[]) {
  await using stack = new AsyncDisposableStack()
  const folder = stack.use(await createTemporaryFolder())
  const provider = stack.use(await startProvider(['https://nowhere.example/']))
  await mkdir(folder.path, { recursive: true })
  const secretFile = `${folder.path}/secret`
  await writeFile(secretFile, `${provider.clientSecret}\n`)
  const named = { 'oidc-issuer': provider.issuer, 'oidc-client-id': provider.clientId, 'oidc-client-secret-file': secretFile }
  const settings = Object.entries({ ...named, 'oidc-label': 'Example Works' }).flatMap(([name, value]) => [`--${name}`, value])
  const visited = stack.use(await visitConsole([...settings, ...flags]))
  provider.allowReturn(`${visited.service.url}/console/sign-in/callback`)
  const owned = stack.move()
  return { ...visited, provider, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}

/** The link to the account is the person's name. */
async function openAccount(page: Page): Promise<void> {
  await page.locator('a[href="/console/account"]').first().click()
  await page.getByRole('heading', { level: 1, name: 'Account' }).waitFor()
}

test('people of the organisation sign in with one button, and see where it failed', { skip: withoutChromium }, async () => {
  await using opened = await visit('--oidc-create-accounts', 'on', '--oidc-roles', 'staff=member,boss=owner')
  const { page, provider, service, complaints } = opened
  provider.person = bob
  await page.goto(`${service.url}/console/gallery`)
  await page.getByRole('button', { name: 'Continue with Example Works' }).waitFor()
  assert.deepEqual(await findBarriers(page), [])
  await page.getByRole('button', { name: 'Continue with Example Works' }).click()
  await page.getByRole('heading', { level: 1, name: 'Gallery' }).waitFor()
  await openAccount(page)
  await page.getByText('You sign in with your organisation').waitFor()
  await page.getByRole('table', { name: 'Linked sign-ins' }).getByText('bob@example.org').waitFor()
  await page.getByRole('button', { name: 'Unlink' }).click()
  await page.getByRole('alert').getByText('the only way into your account').waitFor()
  assert.deepEqual(await findBarriers(page), [])

  await page.getByRole('button', { name: 'Sign out', exact: true }).first().click()
  await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor()
  provider.person = { ...bob, groups: [] }
  await page.getByRole('button', { name: 'Continue with Example Works' }).click()
  await page.getByRole('alert').getByText('None of your groups').waitFor()
  assert.deepEqual(await findBarriers(page), [])
  provider.person = bob
  await page.getByRole('button', { name: 'Continue with Example Works' }).click()
  await page.getByRole('heading', { level: 1, name: 'Chat' }).waitFor()
  assert.deepEqual(complaints, [])
})

test('an owner with a password links the organisation and signs in with it', { skip: withoutChromium }, async () => {
  await using opened = await visit()
  const { page, provider, complaints } = opened
  await becomeOwner(opened)
  await openAccount(page)
  provider.person = { ...bob, sub: 'ada', email: owner.email }
  await page.getByRole('button', { name: 'Link Example Works' }).click()
  await page.getByRole('table', { name: 'Linked sign-ins' }).getByText(owner.email).waitFor()
  await page.getByRole('button', { name: 'Sign out', exact: true }).first().click()
  await page.getByRole('button', { name: 'Continue with Example Works' }).click()
  await page.getByRole('heading', { level: 1, name: 'Account' }).waitFor()
  await openPage(page, 'Audit log')
  await page.getByText('identity linked').waitFor()
  assert.deepEqual(complaints, [])
})

test('the first owner joins with the organisation if passwords are off', { skip: withoutChromium }, async () => {
  await using opened = await visit('--local-sign-in', 'off')
  const { page, provider, service, complaints } = opened
  provider.person = bob
  await page.goto(service.link)
  await page.getByRole('heading', { level: 1, name: 'Set up your service' }).waitFor()
  assert.equal(await page.getByLabel('Password').count(), 0)
  await page.getByRole('button', { name: 'Continue with Example Works' }).click()
  await openPage(page, 'People')
  await page
    .getByRole('row', { name: /Bob Builder/ })
    .getByText('owner', { exact: true })
    .waitFor()
  assert.deepEqual(complaints, [])
})
