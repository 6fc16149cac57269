import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { becomeOwner, draw, holdUndo, openPage } from './support/console-visit.ts'
import { eventually } from './support/eventually.ts'
import { findBarriers } from './support/find-barriers.ts'
import { untilTrue } from './support/until-true.ts'
import { useConsole } from './support/use-console.ts'

const { skip, visit } = useConsole(async (visit) => {
  await becomeOwner(visit)
  const { page } = visit
  await openPage(page, 'Images')
  for (const prompt of ['a red apple', 'a glossy tiger', 'a green pear']) {
    await draw(page, prompt)
    await page.locator('.run', { hasText: prompt }).and(page.locator('[data-state=done]')).waitFor()
  }
})

const tile = (page: Page, words: string) => page.locator('.gallery .plate', { hasText: words })

test('pictures are found by their prompts', { skip }, async () => {
  const { page } = visit()
  await openPage(page, 'Gallery')
  await tile(page, 'a green pear').waitFor()
  await page.getByLabel('Search prompts').fill('TIGER')
  await tile(page, 'a green pear').waitFor({ state: 'detached' })
  await eventually(async () => assert.equal(await page.locator('.gallery .plate').count(), 1))
  await page.getByLabel('Search prompts').fill('nothing of the kind')
  await page.getByRole('heading', { name: 'No matches' }).waitFor()
  await page.getByLabel('Search prompts').fill('')
  await tile(page, 'a red apple').waitFor()
  assert.deepEqual(await findBarriers(page), [])
})

test('lists of pictures load only small variants', { skip }, async () => {
  const { page, context } = visit()
  const fresh = await context.newPage()
  const loaded: string[] = []
  fresh.on('request', (request) => {
    const { pathname, search } = new URL(request.url())
    if (/\/images\/\d+$|\/pictures\/[^/]+$/.test(pathname)) loaded.push(search)
  })
  const origin = new URL(page.url()).origin
  for (const [path, pictures] of [
    ['gallery', '.gallery img'],
    ['requests', 'img.request-picture'],
  ] as const) {
    await fresh.goto(`${origin}/console/${path}`)
    await eventually(async () => assert.equal(await fresh.locator(pictures).count(), 3))
    await untilTrue(fresh, `[...document.querySelectorAll('${pictures}')].every((picture) => picture.naturalWidth > 0)`)
  }
  assert.deepEqual([...new Set(loaded)].sort(), ['?width=160', '?width=320'])
  await fresh.close()
})

test('arrow keys move between pictures, and plus and minus zoom', { skip }, async () => {
  const { page } = visit()
  await page.locator('.gallery .plate-picture').first().click()
  const dialog = page.getByRole('dialog', { name: 'Image' })
  await dialog.getByText('a green pear', { exact: true }).waitFor()
  await page.keyboard.press('ArrowRight')
  await dialog.getByText('a glossy tiger', { exact: true }).waitFor()
  await dialog.getByRole('button', { name: 'Previous' }).click()
  await dialog.getByText('a green pear', { exact: true }).waitFor()
  const width = async () => (await dialog.locator('.viewer-picture img').boundingBox())?.width ?? 0
  await untilTrue(page, "document.querySelector('.viewer-picture img').naturalWidth > 0")
  const before = await width()
  await page.keyboard.press('+')
  await eventually(async () => assert.ok((await width()) > 1.5 * before))
  await page.keyboard.press('-')
  await eventually(async () => assert.equal(await width(), before))
  assert.deepEqual(await findBarriers(page), [])
  await page.keyboard.press('Escape')
})

test('two pictures are compared, and several are saved as one archive', { skip }, async () => {
  const { page } = visit()
  await tile(page, 'a red apple').getByRole('checkbox').check()
  assert.ok(await page.getByRole('button', { name: 'Compare two' }).isDisabled())
  await tile(page, 'a glossy tiger').getByRole('checkbox').check()
  await page.getByRole('button', { name: 'Compare two' }).click()
  const compared = page.getByRole('dialog', { name: 'Two images' })
  await eventually(async () => assert.equal(await compared.locator('img').count(), 2))
  await page.keyboard.press('Escape')
  await compared.waitFor({ state: 'detached' })
  const saved = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download', exact: true }).click()
  const bytes = await readFile(await (await saved).path())
  assert.equal(bytes.subarray(0, 2).toString(), 'PK')
  assert.equal(bytes.toString('latin1').split('PK\u0001\u0002').length - 1, 2)
  await page.getByRole('button', { name: 'Clear selection' }).click()
})

test('a picture can be kept beyond its day, and is deleted after confirmation', { skip }, async () => {
  const { page } = visit()
  await tile(page, 'a red apple')
    .getByText(/^Expires in \d+\sh$/)
    .waitFor()
  await tile(page, 'a red apple').getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('Saved until you delete it.').waitFor()
  await tile(page, 'a red apple').getByText('Saved', { exact: true }).waitFor()
  assert.equal(await tile(page, 'a red apple').getByText('Expires').count(), 0)
  await page.getByLabel('Saved').check()
  await tile(page, 'a glossy tiger').waitFor({ state: 'detached' })
  const kept = tile(page, 'a red apple')
  await kept.locator('.plate-picture').click()
  const alone = page.getByRole('dialog', { name: 'Image' })
  await alone.getByRole('button', { name: 'Larger' }).waitFor()
  assert.equal(await alone.getByRole('button', { name: 'Next' }).count(), 0)
  await page.keyboard.press('Escape')
  await alone.waitFor({ state: 'detached' })
  await kept.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('button', { name: 'Cancel' }).click()
  await kept.waitFor()
  await kept.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('heading', { name: 'No images here yet' }).waitFor()
  await page.getByLabel('Last 24 hours').check()
})

test('the list of saved pictures has its own address, which a reload and the back button keep', { skip }, async () => {
  const { page } = visit()
  const [all, saved] = [page.getByLabel('Last 24 hours'), page.getByLabel('Saved')]
  await saved.check()
  await page.waitForURL('**/console/gallery/saved')
  await page.reload()
  await page.getByRole('heading', { name: 'No images here yet' }).waitFor()
  assert.ok(await saved.isChecked())
  await all.check()
  await tile(page, 'a glossy tiger').waitFor()
  await page.goBack()
  await tile(page, 'a glossy tiger').waitFor({ state: 'detached' })
  await eventually(async () => assert.ok(await saved.isChecked()))
  await page.getByRole('navigation', { name: 'Console' }).getByRole('link', { name: 'Gallery' }).click()
  await tile(page, 'a glossy tiger').waitFor()
})

test('a picture removed from the gallery is restored by undo', { skip }, async () => {
  const { page } = visit()
  await tile(page, 'a green pear').getByRole('button', { name: 'Remove from the gallery' }).click()
  const undo = await holdUndo(page)
  await page.getByText(/^Removed from the gallery\. The image is deleted from its request on .+\.$/).waitFor()
  await tile(page, 'a green pear').waitFor({ state: 'detached' })
  await undo.click()
  await tile(page, 'a green pear').waitFor()
})
