import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { becomeOwner } from './support/console-visit.ts'
import { eventually } from './support/eventually.ts'
import { assertFits } from './support/settle.ts'
import { useConsole } from './support/use-console.ts'

const { skip, visit } = useConsole(async (opened) => {
  await becomeOwner(opened)
  // Drawing every route at once takes minutes on a busy machine.
  opened.page.setDefaultTimeout(300_000)
})

/** A route on the page, which may still show another after its address has changed. */
const operation = (page: Page, id: string) => page.locator(`rapi-doc [id="${id}"]`)

test('the reference shows every route on phone and desktop, in light and dark, and loads nothing from other hosts', {
  skip,
}, async () => {
  const { page, service } = visit()
  const requested: string[] = []
  page.on('request', (request) => requested.push(request.url()))
  for (const [width, colorScheme] of [
    [360, 'dark'],
    [1280, 'light'],
  ] as const) {
    await page.setViewportSize({ width, height: 900 })
    await page.emulateMedia({ colorScheme })
    await page.goto(`${service.url}/docs/api`)
    await page.locator('rapi-doc').getByText('/v1/batches').filter({ visible: true }).first().waitFor()
    await assertFits(page, `${width} px`)
    if (process.env.SCREENSHOTS !== undefined) await page.screenshot({ path: `${process.env.SCREENSHOTS}/api-${width}-${colorScheme}.png` })
  }
  assert.deepEqual(
    requested.filter((url) => !url.startsWith(service.url) && !url.startsWith('data:') && !url.startsWith('blob:')),
    [],
  )
})

test('a token set on the page is sent with requests from it, which fail without one', { skip }, async () => {
  const { page, service } = visit()
  await page.setViewportSize({ width: 1280, height: 900 })
  await page.goto(service.url)
  await page.getByRole('link', { name: 'API reference' }).click()
  const reader = page.locator('rapi-doc')
  const tried = async (): Promise<number> => {
    await reader.locator('[data-content-id="get-/v1/models"]').click()
    const answered = page.waitForResponse(`${service.url}/v1/models`)
    await operation(page, 'get-/v1/models').getByRole('button', { name: 'TRY' }).click()
    return (await answered).status()
  }
  assert.equal(await tried(), 401)
  await reader.locator('[data-content-id="auth"]').click()
  await reader.getByPlaceholder('api-token').fill(service.token)
  await reader.getByRole('button', { name: 'SET' }).first().click()
  assert.equal(await tried(), 200)
})

test('a request has an example that can be sent unchanged, and lists its errors', { skip }, async () => {
  const { page, service } = visit()
  await page.setViewportSize({ width: 1280, height: 900 })
  await page.goto(`${service.url}/docs/api#post-/v1/chat/completions`)
  const reader = operation(page, 'post-/v1/chat/completions')
  await reader.getByRole('button', { name: 'EXAMPLE', exact: true }).first().click()
  const example = reader.locator('textarea.request-body-param-user-input').first()
  await eventually(async () => assert.match(await example.inputValue(), /What is the capital of France/))
  if (process.env.SCREENSHOTS !== undefined) await page.screenshot({ path: `${process.env.SCREENSHOTS}/api-example.png`, fullPage: true })
  await reader.getByRole('button', { name: '404', exact: true }).first().click()
  await reader.getByRole('button', { name: 'EXAMPLE', exact: true }).last().click()
  if (process.env.SCREENSHOTS !== undefined) await page.screenshot({ path: `${process.env.SCREENSHOTS}/api-refusal.png`, fullPage: true })
  await reader.getByText('There is no text model named gpt').filter({ visible: true }).first().waitFor()
  if (process.env.SCREENSHOTS !== undefined) await page.screenshot({ path: `${process.env.SCREENSHOTS}/api-example.png` })
})

test('a request can be sent from the page', { skip }, async () => {
  const { page, service } = visit()
  await page.setViewportSize({ width: 1280, height: 900 })
  await page.goto(`${service.url}/docs/api#get-/healthz`)
  const answered = page.waitForResponse(`${service.url}/healthz`)
  await operation(page, 'get-/healthz').getByRole('button', { name: 'TRY' }).click()
  assert.equal((await answered).status(), 200)
})
