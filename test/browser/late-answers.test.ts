import assert from 'node:assert/strict'
import { test } from 'node:test'
import { becomeOwner, openPage } from './support/console-visit.ts'
import { eventually } from './support/eventually.ts'
import { useConsole } from './support/use-console.ts'

const { skip, visit } = useConsole(becomeOwner)

test('a late answer to an earlier request is not shown', { skip }, async () => {
  const { page, service } = visit()
  const headers = { authorization: `Bearer ${service.token}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ model: 'sepia-mini-chat', messages: [{ role: 'user', content: 'Hi' }], max_tokens: 1 })
  assert.equal((await fetch(`${service.url}/v1/chat/completions`, { method: 'POST', headers, body })).status, 200)
  await openPage(page, 'Requests')
  const row = page.getByRole('table', { name: 'Requests' }).getByRole('link', { name: 'Chat' }).first()
  await row.waitFor()
  const { promise: letGo, resolve } = Promise.withResolvers<void>()
  const answers = { held: 0, reported: 0 }
  const address = /\/console\/api\/requests\?(?!.*kind=)/
  await page.route(address, async (route) => {
    const response = await route.fetch()
    answers.held++
    await letGo
    await route.fulfill({ response })
    answers.reported++
  })
  await eventually(() => assert.ok(answers.held > 0, 'the list is asked for again'))
  await page.getByLabel('Type', { exact: true }).selectOption('Embeddings')
  await page.getByRole('heading', { name: 'No matches' }).waitFor()
  resolve()
  await eventually(() => assert.equal(answers.reported, answers.held))
  await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))')
  assert.equal(await row.count(), 0)
  await page.unrouteAll({ behavior: 'wait' })
})

test('a change that is saved late does not close another dialog', { skip }, async () => {
  const { page } = visit()
  await openPage(page, 'People')
  const { promise: letGo, resolve } = Promise.withResolvers<void>()
  await page.route('**/console/api/accounts/*', async (route) => {
    await letGo
    await route.continue()
  })
  const loaded = () => page.waitForResponse('**/console/api/people')
  await page.getByRole('button', { name: /^Limits of / }).click()
  const sent = page.waitForRequest('**/console/api/accounts/*')
  await page.getByRole('button', { name: 'Save the limits' }).click()
  await sent
  const afterClosing = loaded()
  await page.keyboard.press('Escape')
  await afterClosing
  await page.getByRole('button', { name: 'Invite' }).click()
  const later = page.getByRole('dialog', { name: 'Invite somebody' })
  await later.waitFor()
  const afterSaving = loaded()
  resolve()
  await afterSaving
  assert.ok(await later.isVisible())
  await page.keyboard.press('Escape')
  await page.unrouteAll({ behavior: 'wait' })
})
