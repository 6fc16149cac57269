import assert from 'node:assert/strict'
import { test } from 'node:test'
import { becomeOwner } from './support/console-visit.ts'
import { useConsole } from './support/use-console.ts'

const { skip, visit } = useConsole(becomeOwner)

test('the reference shows every route on a phone and on a desk, in light and dark, and loads nothing from elsewhere', {
  skip,
}, async () => {
  const { page, service } = visit()
  const asked: string[] = []
  page.on('request', (request) => asked.push(request.url()))
  for (const [width, colorScheme] of [
    [360, 'light'],
    [360, 'dark'],
    [1280, 'light'],
  ] as const) {
    await page.setViewportSize({ width, height: 900 })
    await page.emulateMedia({ colorScheme })
    await page.goto(`${service.url}/docs/api`)
    await page.locator('rapi-doc').getByText('/v1/batches').filter({ visible: true }).first().waitFor()
    const wide = await page.evaluate<number>('document.documentElement.scrollWidth')
    assert.ok(wide <= width, `${wide} px of ${width}`)
    if (process.env.SCREENSHOTS !== undefined) await page.screenshot({ path: `${process.env.SCREENSHOTS}/api-${width}-${colorScheme}.png` })
  }
  assert.deepEqual(
    asked.filter((url) => !url.startsWith(service.url) && !url.startsWith('data:') && !url.startsWith('blob:')),
    [],
  )
})

test('a token set on the page goes with the requests tried from it, and only then are they let in', { skip }, async () => {
  const { page, service } = visit()
  await page.setViewportSize({ width: 1280, height: 900 })
  await page.goto(service.url)
  await page.getByRole('link', { name: 'API reference' }).click()
  const reader = page.locator('rapi-doc')
  const tried = async (): Promise<number> => {
    await reader.locator('[data-content-id="get-/v1/models"]').click()
    const answered = page.waitForResponse(`${service.url}/v1/models`)
    await reader.getByRole('button', { name: 'TRY' }).first().click()
    return (await answered).status()
  }
  assert.equal(await tried(), 401)
  await reader.locator('[data-content-id="auth"]').click()
  await reader.getByPlaceholder('api-token').fill(service.token)
  await reader.getByRole('button', { name: 'SET' }).first().click()
  assert.equal(await tried(), 200)
})

test('a request is tried from the page', { skip }, async () => {
  const { page, service } = visit()
  await page.setViewportSize({ width: 1280, height: 900 })
  await page.goto(`${service.url}/docs/api#get-/healthz`)
  const answered = page.waitForResponse(`${service.url}/healthz`)
  await page.locator('rapi-doc').getByRole('button', { name: 'TRY' }).first().click()
  assert.equal((await answered).status(), 200)
})
