import assert from 'node:assert/strict'
import { test } from 'node:test'
import { becomeOwner, draw, openPage } from './support/console-visit.ts'
import { eventually } from './support/eventually.ts'
import { useConsole } from './support/use-console.ts'

const { skip, visit } = useConsole(becomeOwner)

test('a drawing continues after a reload, can be cancelled there, and is added to the gallery when done', { skip }, async () => {
  const { page } = visit()
  await openPage(page, 'Images')
  await page.getByText('Sampling').click()
  // So many that it is not done before it is cancelled.
  const [images, steps] = [page.getByLabel('Images', { exact: true }), page.getByLabel('Steps', { exact: true })]
  await images.fill('16')
  await steps.fill('200')
  await steps.press('Tab')
  await draw(page, 'a red apple')
  await page.getByText(/Step \d+ of/).waitFor()
  await page.reload()
  await page.getByText(/Step \d+ of/).waitFor()
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.locator('.run[data-state=cancelled]').waitFor()
  await page.getByText('Sampling').click()
  await images.fill('1')
  await steps.fill('2')
  await steps.press('Tab')
  await draw(page, 'a green pear')
  await page.locator('.run[data-state=done]').waitFor()
  await page.reload()
  const run = page.locator('.run').filter({ hasText: 'a green pear' })
  await run.and(page.locator('[data-state=done]')).locator('img').waitFor()
  await run.getByText('2 steps').waitFor()
  assert.equal(await page.locator('.run').count(), 1, 'what was cancelled is gone')
})

test('a grid is shown after a reload, and its missing pictures can be drawn', { skip }, async () => {
  const { page } = visit()
  await page.getByRole('button', { name: 'X/Y grid' }).click()
  const dialog = page.getByRole('dialog', { name: 'X/Y grid' })
  await dialog.getByLabel('Values across').fill('1, 2, 3, 4')
  await dialog.getByLabel('Down', { exact: true }).selectOption('Nothing')
  let submitted = 0
  await page.route('**/generate/sdxl', (route) => (++submitted > 2 ? route.abort() : route.continue()))
  await dialog.getByRole('button', { name: 'Draw the grid' }).click()
  await page.getByText('2 of 4 images').waitFor()
  const drawMissing = page.getByRole('button', { name: 'Draw the missing 2' })
  // Only now have all four been sent.
  await drawMissing.waitFor()
  await page.unrouteAll()
  const modelsMayCome = Promise.withResolvers<void>()
  await page.route('**/console/api/image-assets', (route) => modelsMayCome.promise.then(() => route.continue()))
  await page.reload()
  await page.getByText('2 of 4 images').waitFor()
  await eventually(async () => assert.equal(await page.locator('.grid-run img').count(), 2))
  await drawMissing.and(page.locator(':disabled')).waitFor()
  modelsMayCome.resolve()
  await drawMissing.click()
  await page.getByText('4 of 4 images').waitFor()
  await page.reload()
  await page.getByText('4 of 4 images').waitFor()
  await page.locator('.run:not(.grid-run)[data-state=done]').waitFor()
  assert.equal(await page.locator('.run').count(), 2, 'its pictures are shown in the grid only')
})

test('a grid keeps its pictures when they are no longer in the list of recent requests', { skip }, async () => {
  const { page } = visit()
  await page.route('**/console/api/requests?*', (route) => route.fulfill({ json: { requests: [], next: null } }))
  // A service that has too much to do has not lost them.
  let refusals = 3
  await page.route('**/console/api/requests/*', (route) => (refusals-- > 0 ? route.fulfill({ status: 429, json: {} }) : route.continue()))
  for (const _ of ['for the first time', 'again']) {
    await page.reload()
    await page.getByText('4 of 4 images').waitFor()
  }
  await page.unrouteAll()
})

test('a cell that the service rejected shows the same reason after a reload', { skip }, async () => {
  const { page } = visit()
  await page.getByLabel('Prompt', { exact: true }).fill('a plum')
  await page.getByRole('button', { name: 'X/Y grid' }).click()
  const dialog = page.getByRole('dialog', { name: 'X/Y grid' })
  await dialog.getByLabel('Values across').fill('1, 2')
  await dialog.getByLabel('Down', { exact: true }).selectOption('Nothing')
  const error = { code: 'quota_exceeded', message: 'Your budget is used up.' }
  let refused = false
  await page.route('**/generate/sdxl', (route) => {
    if (refused) return route.continue()
    refused = true
    return route.fulfill({ status: 429, json: { error } })
  })
  await dialog.getByRole('button', { name: 'Draw the grid' }).click()
  const grid = page.locator('.grid-run', { hasText: 'a plum' })
  await grid.getByText('1 of 2 images').waitFor()
  await grid.getByText('Your budget is used up.').waitFor()
  await page.unrouteAll()
  await page.reload()
  await grid.getByText('1 of 2 images').waitFor()
  await grid.getByText('Your budget is used up.').waitFor()
})

test('variations of a drawing that started from a picture can be drawn after a reload, but not in another browser', { skip }, async () => {
  const { page, browser, context } = visit()
  await draw(page, 'a yellow apple')
  const first = page.locator('.run', { hasText: 'a yellow apple' }).and(page.locator('[data-state=done]'))
  await first.getByRole('button', { name: 'Use as starting image' }).click()
  await page.locator('.draw-bar').getByText('starts from an image').waitFor()
  await draw(page, 'a blue apple')
  const run = page.locator('.run', { hasText: 'a blue apple' }).and(page.locator('[data-state=done]'))
  await run.waitFor()
  await page.reload()
  await run.getByRole('button', { name: 'Variations' }).click()
  await eventually(async () => assert.equal(await run.first().locator('img').count(), 4))
  await page.reload()
  await eventually(async () => assert.equal(await run.first().locator('img').count(), 4))
  const elsewhere = await (await browser.newContext({ storageState: await context.storageState() })).newPage()
  await elsewhere.goto(page.url())
  await elsewhere.locator('.run', { hasText: 'a blue apple' }).getByRole('button', { name: 'Variations', disabled: true }).last().waitFor()
  await elsewhere.context().close()
})
