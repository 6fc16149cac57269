import assert from 'node:assert/strict'
import { test } from 'node:test'
import { becomeOwner, draw, openPage } from './support/console-visit.ts'
import { findBarriers } from './support/find-barriers.ts'
import { assertFits, loadTypefaces, settle } from './support/settle.ts'
import { untilTrue } from './support/until-true.ts'
import { useConsole } from './support/use-console.ts'

const { skip, visit } = useConsole()

/** Checks the current page in light and in dark. */
async function assertOpenToAll(): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await visit().page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    assert.deepEqual(await findBarriers(visit().page), [], colorScheme)
  }
}

test('the first visit', { skip }, async () => {
  const { page, service } = visit()
  await page.goto(service.url)
  await page.getByRole('heading', { level: 1, name: 'Almost there' }).waitFor()
  await assertOpenToAll()
})

test('joining with an invitation', { skip }, async () => {
  await visit().page.goto(visit().service.link)
  await visit().page.getByLabel('Name').waitFor()
  await assertOpenToAll()
  await becomeOwner(visit())
})

test('chatting', { skip }, async () => {
  const { page } = visit()
  await settle(page)
  await assertOpenToAll()
  await page.getByLabel('Your message').fill('What is the capital of Japan?')
  await page.keyboard.press('Enter')
  await page.locator('.turn-answer:is([data-state=done], [data-state=cut])').waitFor()
  await page.getByText('More parameters').click()
  await assertOpenToAll()
  await page.getByRole('button', { name: 'Show as code' }).click()
  await page.getByRole('dialog').waitFor()
  await assertOpenToAll()
  await page.keyboard.press('Escape')
})

test('drawing', { skip }, async () => {
  const { page } = visit()
  await openPage(page, 'Images')
  for (const title of ['Sampling', 'Text encoders', 'File and log']) await page.locator('.fold summary', { hasText: title }).click()
  await page.getByLabel('Custom').check()
  await page.locator('.style-choice').click()
  await page.getByRole('dialog').waitFor()
  await assertOpenToAll()
  await page.keyboard.press('Escape')
  await draw(page, 'a red apple')
  await page.locator('.run[data-state=done] img').waitFor()
  await assertOpenToAll()
  await page.getByRole('button', { name: 'Use as starting image' }).click()
  await page.getByRole('button', { name: 'Extend (outpaint)' }).click()
  await page.getByRole('dialog').waitFor()
  await assertOpenToAll()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Paint a mask' }).click()
  await page.locator('.painter canvas').focus()
  await assertOpenToAll()
  await page.keyboard.press('Escape')
})

for (const name of ['Gallery', 'LoRAs & checkpoints', 'Requests', 'Usage', 'Models', 'Access tokens', 'Webhooks', 'People', 'Service']) {
  test(name, { skip }, async () => {
    await openPage(visit().page, name)
    await settle(visit().page)
    await assertOpenToAll()
  })
}

test('a request', { skip }, async () => {
  const { page } = visit()
  await openPage(page, 'Requests')
  await page.getByRole('table').getByRole('link').first().click()
  await page.getByRole('heading', { level: 1, name: 'Request', exact: true }).waitFor()
  await settle(page)
  await assertOpenToAll()
})

test('the account page', { skip }, async () => {
  const { page, service } = visit()
  await page.goto(`${service.url}/console/account`)
  await page.locator('h1').waitFor()
  await settle(page)
  await assertOpenToAll()
})

test('inviting a person', { skip }, async () => {
  const { page } = visit()
  await openPage(page, 'People')
  await page.getByRole('button', { name: 'Invite' }).click()
  await page.getByRole('dialog').waitFor()
  await assertOpenToAll()
  await page.keyboard.press('Escape')
})

test('creating a token', { skip }, async () => {
  const { page } = visit()
  await openPage(page, 'Access tokens')
  await page.getByRole('button', { name: 'New token' }).click()
  await page.getByLabel('Name').fill('Nightly report')
  await assertOpenToAll()
  await page.getByRole('button', { name: 'Create token' }).click()
  await page.getByText('Your new token').waitFor()
  await page.getByRole('button', { name: 'Revoke First token' }).click()
  await page.getByText('revoked.').waitFor()
  await assertOpenToAll()
})

test('the limits of an account', { skip }, async () => {
  const { page } = visit()
  await openPage(page, 'People')
  await page.getByRole('button', { name: /^Limits of / }).click()
  await page.getByLabel('Requests a minute').fill('0')
  await assertOpenToAll()
  await page.keyboard.press('Escape')
})

test('nothing is cut off at a width of 360 pixels', { skip }, async () => {
  const { page } = visit()
  await page.setViewportSize({ width: 360, height: 740 })
  for (const path of [
    'chat',
    'images',
    'gallery',
    'assets',
    'requests',
    'usage',
    'models',
    'tokens',
    'webhooks',
    'people',
    'service',
    'account',
  ]) {
    await page.goto(`${visit().service.url}/console/${path}`)
    await page.locator('h1').waitFor()
    await settle(page)
    await assertFits(page, path)
  }
  await page.getByRole('button', { name: 'Open the menu' }).click()
  await page.getByRole('dialog', { name: 'Menu' }).getByRole('link', { name: 'Images' }).click()
  await page.getByRole('heading', { level: 1, name: 'Images' }).waitFor()
})

test('the documentation starts with its text at 360 pixels and passes the accessibility check', { skip }, async () => {
  const { page, service } = visit()
  await page.setViewportSize({ width: 360, height: 740 })
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    await page.goto(`${service.url}/docs/console`)
    await loadTypefaces(page)
    const heading = await page.locator('h1').boundingBox()
    assert.ok(heading !== null && heading.y < 370, 'the heading is in the first half of the screen')
    await assertFits(page)
    assert.deepEqual(await findBarriers(page), [])
  }
  await page.getByRole('link', { name: 'Contents' }).click()
  await page.getByRole('link', { name: 'Settings' }).click()
  await page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor()
  await page.goto(`${service.url}/console/chat`)
})

test('the keyboard can skip the navigation and leave a dialog', { skip }, async () => {
  const { page } = visit()
  await page.setViewportSize({ width: 1280, height: 860 })
  await page.goto(`${visit().service.url}/console/tokens`)
  await page.getByRole('row', { name: /Nightly report/ }).waitFor()
  const opener = page.getByRole('button', { name: 'New token' })
  await opener.focus()
  await page.keyboard.press('Enter')
  await page.getByRole('dialog', { name: 'New access token' }).waitFor()
  await page.keyboard.press('Escape')
  await untilTrue(page, "document.activeElement.textContent === 'New token'")
})
