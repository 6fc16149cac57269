import assert from 'node:assert/strict'
import { test } from 'node:test'
import { becomeOwner, draw, openPage } from './support/console-visit.ts'
import { eventually } from './support/eventually.ts'
import { useConsole } from './support/use-console.ts'

const { skip, visit } = useConsole(becomeOwner)

test('a drawing goes on when its page is loaded again, can be cancelled there, and hangs there when it is done', { skip }, async () => {
  const { page } = visit()
  await openPage(page, 'Images')
  await page.getByText('Sampling').click()
  await page.getByLabel('Steps', { exact: true }).fill('150')
  await page.getByLabel('Steps', { exact: true }).press('Tab')
  await draw(page, 'a red apple')
  await page.getByText(/Step \d+ of 150/).waitFor()
  await page.reload()
  await page.getByText(/Step \d+ of 150/).waitFor()
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.locator('.run[data-state=cancelled]').waitFor()
  await page.getByText('Sampling').click()
  await page.getByLabel('Steps', { exact: true }).fill('2')
  await page.getByLabel('Steps', { exact: true }).press('Tab')
  await draw(page, 'a green pear')
  await page.locator('.run[data-state=done]').waitFor()
  await page.reload()
  const run = page.locator('.run').filter({ hasText: 'a green pear' })
  await run.and(page.locator('[data-state=done]')).locator('img').waitFor()
  await run.getByText('2 steps').waitFor()
  assert.equal(await page.locator('.run').count(), 1, 'what was cancelled is gone')
})

test('a grid hangs there after its page was loaded again, and what is missing is drawn at once', { skip }, async () => {
  const { page } = visit()
  await page.getByRole('button', { name: 'X/Y grid' }).click()
  const dialog = page.getByRole('dialog', { name: 'X/Y grid' })
  await dialog.getByLabel('Values across').fill('1, 2, 3, 4')
  await dialog.getByLabel('Down', { exact: true }).selectOption('Nothing')
  let handedIn = 0
  await page.route('**/generate/sdxl', (route) => (++handedIn > 2 ? route.abort() : route.continue()))
  await dialog.getByRole('button', { name: 'Draw the grid' }).click()
  await page.getByText('2 of 4 pictures').waitFor()
  await page.unrouteAll()
  await page.reload()
  await page.getByText('2 of 4 pictures').waitFor()
  await eventually(async () => assert.equal(await page.locator('.grid-run img').count(), 2))
  await page.getByRole('button', { name: 'Draw the missing 2' }).click()
  await page.getByText('4 of 4 pictures').waitFor()
  await page.reload()
  await page.getByText('4 of 4 pictures').waitFor()
  assert.equal(await page.locator('.run').count(), 2, 'its pictures hang in the grid alone')
})
