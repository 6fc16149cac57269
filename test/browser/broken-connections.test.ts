import assert from 'node:assert/strict'
import { test } from 'node:test'
import { becomeOwner, draw, openPage } from './support/console-visit.ts'
import { useConsole } from './support/use-console.ts'

const { skip, visit } = useConsole(becomeOwner)

test('a drawing is followed again after its connection broke and shown when done', { skip }, async () => {
  const { page } = visit()
  await openPage(page, 'Images')
  let sent = 0
  page.on('request', (request) => {
    if (request.url().endsWith('/generate/sdxl')) sent++
  })
  let broken = true
  for (const address of ['**/v1/requests/*/events', '**/console/api/requests/*'])
    await page.route(address, (route) => (broken ? route.abort('connectionreset') : route.continue()))
  await draw(page, 'a red apple')
  await page.getByText('Connection lost. The drawing continues;').waitFor()
  broken = false
  await page.locator('.run[data-state=done] img').waitFor()
  assert.equal(sent, 1)
  await page.unrouteAll()
})

test('a drawing accepted while the connection broke is not drawn twice', { skip }, async () => {
  const { page } = visit()
  const taken: string[] = []
  await page.route('**/generate/sdxl', async (route) => {
    const response = await route.fetch()
    taken.push((await response.json()).response_id)
    if (taken.length === 1) await route.abort('connectionreset')
    else await route.fulfill({ response })
  })
  await draw(page, 'a green apple')
  await page.getByText('The server isn’t responding.').waitFor()
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.locator('.run[data-state=done]').nth(1).waitFor()
  assert.equal(taken.length, 2)
  assert.equal(taken[0], taken[1])
  await page.unroute('**/generate/sdxl')
})

test('a drawing submitted without a connection is still shown after a reload without one, and can be sent then', { skip }, async () => {
  const { page } = visit()
  const offline = ['**/generate/sdxl', '**/console/api/requests?*']
  for (const address of offline) await page.route(address, (route) => route.abort('connectionrefused'))
  await draw(page, 'a yellow pear')
  const unsent = page.locator('.run[data-state=failed]', { hasText: 'a yellow pear' })
  await unsent.getByText('The server isn’t responding.').waitFor()
  await page.reload()
  await unsent.getByText('The server isn’t responding.').waitFor()
  for (const address of offline) await page.unroute(address)
  await unsent.getByRole('button', { name: 'Try again' }).click()
  await page.locator('.run[data-state=done]', { hasText: 'a yellow pear' }).waitFor()
  await page.reload()
  await page.locator('.run[data-state=done]', { hasText: 'a yellow pear' }).waitFor()
  assert.equal(await unsent.count(), 0)
})

test('a grid submitted without a connection is still shown after a reload without one', { skip }, async () => {
  const { page } = visit()
  const offline = ['**/generate/sdxl', '**/console/api/requests?*']
  for (const address of offline) await page.route(address, (route) => route.abort('connectionrefused'))
  await page.getByRole('button', { name: 'X/Y grid' }).click()
  const dialog = page.getByRole('dialog', { name: 'X/Y grid' })
  await dialog.getByLabel('Values across').fill('1, 2')
  await dialog.getByLabel('Down', { exact: true }).selectOption('Nothing')
  await dialog.getByRole('button', { name: 'Draw the grid' }).click()
  const lost = page.locator('.grid-run').getByText('The server isn’t responding.')
  await lost.nth(1).waitFor()
  await page.reload()
  await lost.nth(1).waitFor()
  await page.unrouteAll()
  await page.getByRole('button', { name: 'Draw the missing 2' }).click()
  await page.getByText('2 of 2 images').waitFor()
})

test('a failure of the service shows the request id of the log, and a mistake in the request none', { skip }, async () => {
  const { page } = visit()
  const failed = page.locator('.run[data-state=failed]')
  const failWith = (status: number, code: string, message: string) =>
    page.route('**/generate/sdxl', (route) =>
      route.fulfill({ status, headers: { 'x-request-id': `id-of-${status}` }, json: { error: { code, message } } }),
    )
  await failWith(500, 'internal_error', 'The request failed inside the service.')
  await draw(page, 'a blue apple')
  await failed.getByText('id-of-500').waitFor()
  await page.unroute('**/generate/sdxl')
  await failWith(404, 'model_not_found', 'There is no model of this name.')
  await draw(page, 'a white apple')
  await failed.getByText('There is no model of this name.').waitFor()
  assert.equal(await failed.getByText('id-of-404').count(), 0)
  await page.unroute('**/generate/sdxl')
})

test('the page does not report missing models before it has the list', { skip }, async () => {
  const { page, service } = visit()
  const { promise: letGo, resolve } = Promise.withResolvers<void>()
  await page.route('**/console/api/models', async (route) => {
    await letGo
    await route.continue()
  })
  await page.goto(`${service.url}/console/images`)
  await page.getByText('Looking for models…').waitFor()
  resolve()
  await page.getByText('Looking for models…').waitFor({ state: 'detached' })
  await page.unroute('**/console/api/models')
})

test('a page opened while the service was down loads its content when the service is up', { skip }, async () => {
  const { page } = visit()
  await page.route('**/console/api/usage?*', (route) => route.abort('connectionrefused'))
  await openPage(page, 'Usage')
  const note = page.getByRole('alert').getByText('The server isn’t responding.')
  await note.first().waitFor()
  await page.unrouteAll()
  await note.first().waitFor({ state: 'detached' })
  await page.getByRole('group', { name: 'Period' }).waitFor()
})
