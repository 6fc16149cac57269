import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import sharp from 'sharp'
import { becomeOwner, openPage } from './support/console-visit.ts'
import { eventually } from './support/eventually.ts'
import { findBarriers } from './support/find-barriers.ts'
import { textOf } from './support/page-text.ts'
import { loadTypefaces } from './support/settle.ts'
import { useConsole } from './support/use-console.ts'

const { skip, visit } = useConsole(becomeOwner)

test('a grid draws each pair of values once, from one seed', { skip }, async () => {
  const { page } = visit()
  await openPage(page, 'Images')
  await page.getByLabel('Prompt', { exact: true }).fill('a red apple')
  await page.getByRole('button', { name: 'X/Y grid' }).click()
  const dialog = page.getByRole('dialog', { name: 'X/Y grid' })
  await dialog.getByLabel('Values across').fill('2, three')
  await dialog.getByText('Whole numbers from 1 to 200.').waitFor()
  assert.ok(await dialog.getByRole('button', { name: 'Draw the grid' }).isDisabled())
  await dialog.getByLabel('Values across').fill('2, 3')
  await dialog.getByLabel('Down', { exact: true }).selectOption('Words of the prompt')
  await dialog.getByLabel('Values down').fill('apple, pear')
  assert.deepEqual(await findBarriers(page), [])
  const bodies: Record<string, unknown>[] = []
  page.on('request', (request) => {
    if (request.url().endsWith('/generate/sdxl')) bodies.push(request.postDataJSON())
  })
  await dialog.getByRole('button', { name: 'Draw the grid' }).click()
  await page.locator('.grid-run[data-state=done]').waitFor()
  await page.getByText('4 of 4 images').waitFor()
  assert.deepEqual(bodies.map(({ steps, prompt }) => `${steps} ${prompt}`).sort(), [
    '2 a red apple',
    '2 a red pear',
    '3 a red apple',
    '3 a red pear',
  ])
  assert.equal(new Set(bodies.map(({ seed }) => seed)).size, 1)
  assert.deepEqual(await findBarriers(page), [])
})

/** Words of headings that stand on more than one line. */
const brokenWords = `[...document.querySelectorAll('.image-grid th')].flatMap((heading) => {
  const texts = document.createTreeWalker(heading, NodeFilter.SHOW_TEXT)
  const broken = []
  while (texts.nextNode()) for (const { index, 0: word } of texts.currentNode.data.matchAll(/\\S+/g)) {
    const range = document.createRange()
    range.setStart(texts.currentNode, index)
    range.setEnd(texts.currentNode, index + word.length)
    if (range.getClientRects().length > 1) broken.push(word)
  }
  return broken
})`

test('headings of a grid break only between words', { skip }, async () => {
  for (const width of [1280, 768, 360]) {
    await visit().page.setViewportSize({ width, height: 860 })
    await loadTypefaces(visit().page)
    await eventually(async () => assert.deepEqual(await visit().page.evaluate(brokenWords), [], `${width} pixels`))
  }
  await visit().page.setViewportSize({ width: 1280, height: 860 })
})

test('a grid is saved as one picture', { skip }, async () => {
  const { page } = visit()
  const saved = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download as one image' }).click()
  const { width, height, format } = await sharp(await readFile(await (await saved).path())).metadata()
  assert.equal(format, 'png')
  assert.ok(width > 2 * 256 && height > 2 * 256)
})

test('a grid is cancelled as a whole, and the rest can be drawn afterwards', { skip }, async () => {
  const { page } = visit()
  await page.getByRole('button', { name: 'X/Y grid' }).click()
  // Enough steps that the last is not done before it is cancelled.
  await page.getByLabel('Values across').fill('198, 199, 200')
  await page.getByRole('button', { name: 'Draw the grid' }).click()
  const grid = page.locator('.grid-run').first()
  await grid
    .getByText(/\d+ of (19[89]|200)/)
    .first()
    .waitFor()
  await grid.getByRole('button', { name: 'Cancel all' }).click()
  await grid.and(page.locator('[data-state=done]')).waitFor()
  const [drawn = ''] = (await textOf(grid.getByText(/^\d of 9 images$/))).split(' ')
  assert.ok(Number(drawn) < 9)
  await eventually(async () => assert.equal(await grid.getByRole('cell').getByRole('button', { name: /^Draw/ }).count(), 9 - Number(drawn)))
})

test('a grid varies any two settings: sizes, words of the negative prompt, model settings', { skip }, async () => {
  const { page } = visit()
  await page.getByLabel('Negative prompt', { exact: true }).fill('frame, text')
  await page.getByText('Sampling').click()
  await page.getByLabel('Steps', { exact: true }).fill('2')
  await page.getByRole('button', { name: 'X/Y grid' }).click()
  const dialog = page.getByRole('dialog', { name: 'X/Y grid' })
  await dialog.getByLabel('Across', { exact: true }).selectOption('Size')
  await dialog.getByLabel('Values across').fill('256x256, 17x256')
  await dialog.getByText('17x256').waitFor()
  assert.ok(await dialog.getByRole('button', { name: 'Draw the grid' }).isDisabled())
  await dialog.getByLabel('Values across').fill('256x256, 192 × 256')
  await dialog.getByLabel('Down', { exact: true }).selectOption('Words of the negative prompt')
  await dialog.getByLabel('Values down').fill('frame, blur')
  const bodies: Record<string, unknown>[] = []
  page.on('request', (request) => {
    if (request.url().endsWith('/generate/sdxl')) bodies.push(request.postDataJSON())
  })
  await dialog.getByRole('button', { name: 'Draw the grid' }).click()
  const grid = page.locator('.grid-run').filter({ hasText: 'Words of the negative prompt / Size' })
  await grid.getByText('4 of 4 images').waitFor()
  assert.deepEqual(bodies.map(({ width, height, negative_prompt: without }) => `${width}×${height} ${without}`).sort(), [
    '192×256 blur, text',
    '192×256 frame, text',
    '256×256 blur, text',
    '256×256 frame, text',
  ])
})
