import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import sharp from 'sharp'
import { drawFile, loadTinyModel, paintSquare, readPixels } from '../../../../test/support/model-files/tiny-image-model.ts'

const model = await loadTinyModel()
after(() => model[Symbol.asyncDispose]())

test('an image that does not decode is refused', async () => {
  const whole = await paintSquare('#888888')
  const broken = Buffer.concat([whole.subarray(0, whole.length / 2), Buffer.alloc(40)])
  await assert.rejects(drawFile(model, { initial: { image: broken, strength: 0.8 } }), { code: 'validation_error' })
  await assert.rejects(drawFile(model, { initial: { image: Buffer.from('no image'), strength: 0.8 } }), { code: 'validation_error' })
})

test('grey, transparent and larger pictures can be started from', async () => {
  const grey = await sharp({ create: { width: 100, height: 40, channels: 3, background: '#777777' } })
    .greyscale()
    .toColourspace('b-w')
    .png()
    .toBuffer()
  const transparent = await sharp({ create: { width: 10, height: 10, channels: 4, background: { r: 0, g: 0, b: 0, alpha: 0 } } })
    .webp()
    .toBuffer()
  for (const image of [grey, transparent]) {
    const { width } = await sharp(await drawFile(model, { initial: { image, strength: 0.5 } })).metadata()
    assert.equal(width, 64)
  }
})

test('repainting at full resolution leaves everything outside the mask untouched', async () => {
  const image = await paintSquare('#3366cc', { colour: '#ffcc00', left: 8, side: 20 })
  const mask = {
    image: await paintSquare('#000000', { colour: '#ffffff', left: 40, side: 16 }),
    fullResolution: true,
    padding: 4,
    outpainting: false,
    blur: 0,
  }
  const before = await readPixels(image)
  const drawn = await readPixels(await drawFile(model, { initial: { image, strength: 1 }, mask }))
  const inside = (i: number): boolean => i % 64 >= 40 && i % 64 < 56 && i / 64 >= 40 && i / 64 < 56
  let changed = 0
  for (let i = 0; i < 64 * 64; i++) {
    const same = before.subarray(i * 3, i * 3 + 3).equals(drawn.subarray(i * 3, i * 3 + 3))
    if (!inside(i)) assert.ok(same, `pixel ${i}`)
    else if (!same) changed++
  }
  assert.ok(changed > 200)
})

test('outpainting starts from the edges of the picture instead of what lies under the mask', async () => {
  const mask = { image: await paintSquare('#ffffff', { colour: '#000000', left: 16, side: 32 }), fullResolution: false, padding: 0 }
  const pictures = await Promise.all(['#000000', '#ffffff'].map((colour) => paintSquare(colour, { colour: '#3366cc', left: 16, side: 32 })))
  const drawn = async (outpainting: boolean): Promise<readonly Buffer[]> => {
    const results: Buffer[] = []
    for (const image of pictures)
      results.push(await readPixels(await drawFile(model, { initial: { image, strength: 0.5 }, mask: { ...mask, outpainting, blur: 0 } })))
    return results
  }
  const [dark, bright] = await drawn(true)
  assert.deepEqual(dark, bright)
  const [darkUnder, brightUnder] = await drawn(false)
  assert.notDeepEqual(darkUnder, brightUnder)
})
