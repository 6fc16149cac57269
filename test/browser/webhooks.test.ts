import assert from 'node:assert/strict'
import { test } from 'node:test'
import { becomeOwner, openPage } from './support/console-visit.ts'
import { eventually } from './support/eventually.ts'
import { findBarriers } from './support/find-barriers.ts'
import { textOf } from './support/page-text.ts'
import { assertFits, settle } from './support/settle.ts'
import { untilTrue } from './support/until-true.ts'
import { useConsole } from './support/use-console.ts'

const { skip, visit } = useConsole(becomeOwner)

test('the secret is hidden until requested, and rotated after confirmation, by keyboard only', { skip }, async () => {
  const { page } = visit()
  await openPage(page, 'Webhooks')
  await page.getByText('No deliveries yet').waitFor()
  const current = page.getByRole('group', { name: 'Current' })
  const secretIn = (group: typeof current) => textOf(group.locator('code'))
  const shows = (group: typeof current, text: RegExp) => eventually(async () => assert.match(await secretIn(group), text))
  const whole = /^whsec_[\w+/]{43}=$/
  await shows(current, /^whsec_•+$/)
  await current.getByRole('button', { name: 'Show the secret' }).press('Enter')
  await shows(current, whole)
  const first = await secretIn(current)
  await current.getByRole('button', { name: 'Hide the secret' }).press('Enter')
  await shows(current, /^whsec_•+$/)

  await page.getByRole('button', { name: 'Rotate the secret' }).press('Enter')
  await page.getByRole('dialog', { name: 'Rotate the secret?' }).waitFor()
  assert.deepEqual(await findBarriers(page), [])
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Rotate the secret' }).press('Enter')
  await page.getByRole('button', { name: 'Rotate', exact: true }).press('Enter')
  await page.getByText('The new secret is now in use.').waitFor()
  await untilTrue(page, "document.activeElement.textContent === 'Rotate the secret'")
  const previous = page.getByRole('group', { name: 'The previous one' })
  await previous.getByRole('button', { name: 'Show the secret' }).press('Enter')
  await eventually(async () => assert.equal(await secretIn(previous), first))
  await current.getByRole('button', { name: 'Show the secret' }).press('Enter')
  await shows(current, whole)
  assert.notEqual(await secretIn(current), first)
})

test('a failing delivery is listed with its next attempt, on wide and narrow screens', { skip }, async () => {
  const { page, service } = visit()
  await fetch(`${service.url}/v1/chat/completions`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${service.token}`,
      'content-type': 'application/json',
      'x-service-async': '1',
      'x-service-webhook': 'https://sepia.invalid/a-hook-with-a-rather-long-address/that-has-to-be-broken-into-lines/somewhere',
    },
    body: JSON.stringify({ model: 'sepia-mini-chat', messages: [{ role: 'user', content: 'Hi' }], max_tokens: 1 }),
  })
  await page.goto(`${service.url}/console/webhooks`)
  const row = page.getByRole('row', { name: /sepia\.invalid/ })
  await row.getByRole('cell', { name: 'waiting' }).waitFor()
  await row.getByRole('cell', { name: /^(E[A-Z_]+|timeout|no public address)$/ }).waitFor()
  await row.getByRole('cell', { name: /^(within a minute|in .+)$/ }).waitFor()
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    assert.deepEqual(await findBarriers(page), [], colorScheme)
  }
  await page.setViewportSize({ width: 360, height: 740 })
  await settle(page)
  await assertFits(page)
})
