import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import sharp from 'sharp'
import { becomeOwner, openPage } from './support/console-visit.ts'
import { eventually } from './support/eventually.ts'
import { settle } from './support/settle.ts'
import { useConsole } from './support/use-console.ts'

const { skip, visit } = useConsole(becomeOwner)

/** Starts from a picture of one colour and opens the painter. */
async function openPainter(page: Page, colour: string): Promise<void> {
  const buffer = await sharp({ create: { width: 64, height: 64, channels: 3, background: colour } })
    .png()
    .toBuffer()
  await settle(page)
  const remove = page.getByRole('button', { name: 'Remove' })
  if ((await remove.count()) > 0) await remove.click()
  await page.locator('.studio-form input[type=file]').setInputFiles({ name: 'one.png', mimeType: 'image/png', buffer })
  await page.getByRole('button', { name: 'Paint a mask' }).click()
  await page.locator('.painter canvas').waitFor()
}

/** Painted pixels of the mask. */
function painted(page: Page): Promise<number> {
  return page.evaluate<number>(`(() => {
    const canvas = document.querySelector('.painter canvas')
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height)
    return data.filter((value, at) => at % 4 === 3 && value > 127).length
  })()`)
}

/** Where the mask lies, once it has not moved for ten frames: a dialog is laid out again when its picture and its typefaces come. */
async function restingBox(
  page: Page,
): Promise<{ readonly x: number; readonly y: number; readonly width: number; readonly height: number }> {
  return page.evaluate(`new Promise((resolve) => {
    let [at, frames] = ['', 0]
    const look = () => {
      const box = document.querySelector('.painter canvas').getBoundingClientRect().toJSON()
      const now = box.width > 0 ? JSON.stringify(box) : ''
      frames = now !== '' && now === at ? frames + 1 : 0
      at = now
      if (frames < 10) requestAnimationFrame(look)
      else resolve(box)
    }
    look()
  })`)
}

async function stroke(page: Page): Promise<void> {
  const box = await restingBox(page)
  await page.mouse.move(box.x + box.width * 0.3, box.y + box.height * 0.5)
  await page.mouse.down()
  await page.mouse.move(box.x + box.width * 0.7, box.y + box.height * 0.5, { steps: 5 })
  await page.mouse.up()
  await page.mouse.move(box.x + box.width * 0.5, box.y + box.height * 0.1)
}

/** How dark and how light it is where the stroke is, from 0 to 255. */
async function middleOfStroke(page: Page): Promise<{ readonly min: number; readonly max: number }> {
  const shot = sharp(await page.locator('.painter-stage').screenshot())
  const { width, height } = await shot.metadata()
  const middle = {
    left: Math.round(width * 0.4),
    top: Math.round(height * 0.46),
    width: Math.round(width * 0.2),
    height: Math.round(height * 0.06),
  }
  const { channels } = await shot.extract(middle).greyscale().stats()
  const { min = 0, max = 0 } = channels[0] ?? {}
  return { min, max }
}

for (const colour of ['#ffffff', '#000000', '#808080', '#c2571a', '#f1e8dc']) {
  test(`strokes are visible on ${colour}`, { skip }, async () => {
    const { page } = visit()
    await openPage(page, 'Images')
    await openPainter(page, colour)
    await stroke(page)
    const below = await sharp({ create: { width: 1, height: 1, channels: 3, background: colour } })
      .greyscale()
      .stats()
    const ground = below.channels[0]?.mean ?? 0
    await eventually(async () => {
      const { min, max } = await middleOfStroke(page)
      assert.ok(Math.max(max - ground, ground - min) > 90, `darkest ${min}, lightest ${max} on ${ground}`)
    })
    await page.getByRole('button', { name: 'Clear', exact: true }).click()
    await page.keyboard.press('Escape')
  })
}

test('strokes can be undone and redone, by button and by key', { skip }, async () => {
  const { page } = visit()
  await openPainter(page, '#ffffff')
  await stroke(page)
  // It can be taken back once the whole stroke is drawn.
  await page.getByRole('button', { name: 'Undo', disabled: false }).waitFor()
  const one = await painted(page)
  assert.ok(one > 0)
  const becomes = (wanted: number) => eventually(async () => assert.equal(await painted(page), wanted))
  await page.getByRole('button', { name: 'Undo' }).click()
  await becomes(0)
  await page.getByRole('button', { name: 'Redo' }).click()
  await becomes(one)
  await page.getByRole('button', { name: 'Invert' }).click()
  await eventually(async () => {
    const inverted = await painted(page)
    assert.ok(Math.abs(inverted + one - 64 * 64) < 300, `${inverted} and ${one}`)
  })
  await page.keyboard.press('Control+z')
  await page.keyboard.press('Control+z')
  await becomes(0)
  await page.keyboard.press('Control+Shift+z')
  await becomes(one)
})

test('the brush outline shows position and size, and keys change it', { skip }, async () => {
  const { page } = visit()
  const size = page.getByLabel('Brush', { exact: true })
  const before = Number(await size.inputValue())
  await page.locator('.painter canvas').focus()
  await page.keyboard.press(']')
  await eventually(async () => assert.ok(Number(await size.inputValue()) > before))
  await page.keyboard.press('[')
  await eventually(async () => assert.equal(Number(await size.inputValue()), before))
  await eventually(async () => {
    const brush = await page.locator('.brush').boundingBox()
    const board = await page.locator('.painter canvas').boundingBox()
    assert.ok(brush && board && Math.abs(brush.width / board.width - before / 100) < 0.02)
  })
})

test('a mask can be painted by keyboard only', { skip }, async () => {
  const { page } = visit()
  await page.getByRole('button', { name: 'Clear', exact: true }).click()
  await page.locator('.painter canvas').focus()
  await page.keyboard.down(' ')
  for (let step = 0; step < 3; step++) await page.keyboard.press('Shift+ArrowLeft')
  await page.keyboard.up(' ')
  await page.getByRole('button', { name: 'Undo', disabled: false }).waitFor()
  const line = await painted(page)
  assert.ok(line > 100)
  await page.keyboard.press('e')
  await page.getByRole('checkbox', { name: 'Erase', checked: true }).waitFor()
  await page.keyboard.down(' ')
  await page.keyboard.up(' ')
  await eventually(async () => assert.ok((await painted(page)) < line))
  await page.getByLabel('Feather', { exact: true }).last().fill('8')
  await page.getByRole('button', { name: 'Use this mask' }).click()
  await page.getByText('Only the painted part changes.').waitFor()
  await eventually(async () => assert.equal(await page.getByLabel('Feather', { exact: true }).inputValue(), '8'))
})

test('Escape does not discard a mask', { skip }, async () => {
  const { page } = visit()
  await openPainter(page, '#ffffff')
  await stroke(page)
  await page.keyboard.press('Escape')
  await page.getByText('Only the painted part changes.').waitFor()
  await page.getByRole('button', { name: 'Discard' }).last().click()
  await page.getByText('The whole image may change.').waitFor()
})

test('the mask covers exactly its picture, also on small phones', { skip }, async () => {
  const { page } = visit()
  await page.keyboard.press('Escape')
  await page.setViewportSize({ width: 360, height: 780 })
  await page.goto(`${visit().service.url}/console/images`)
  await openPainter(page, '#808080')
  await eventually(async () => {
    const box = await page.locator('.painter canvas').boundingBox()
    assert.ok(box)
    assert.ok(Math.abs(box.width / box.height - 1) < 0.01, `${box.width} × ${box.height}`)
  })
})
