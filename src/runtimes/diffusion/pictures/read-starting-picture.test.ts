import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import sharp from 'sharp'
import { drawFile, loadTinyModel, paintSquare, readPixels } from '../../../../test/support/model-files/tiny-image-model.ts'

const model = await loadTinyModel()
after(() => model[Symbol.asyncDispose]())

test('an image that cannot be decoded is rejected', async () => {
  const whole = await paintSquare('#888888')
  const broken = Buffer.concat([whole.subarray(0, whole.length / 2), Buffer.alloc(40)])
  await assert.rejects(drawFile(model, { initial: { image: broken, strength: 0.8 } }), { code: 'validation_error' })
  await assert.rejects(drawFile(model, { initial: { image: Buffer.from('no image'), strength: 0.8 } }), { code: 'validation_error' })
})

test('grey, transparent and larger images can be starting images', async () => {
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

test('outpainting starts from the edges of the image instead of the pixels under the mask', async () => {
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

test('pixels that a mask keeps black are unchanged', async () => {
  const image = await sharp(await paintSquare('#3366cc', { colour: '#ffcc00', left: 8, side: 20 })).toBuffer()
  for (const fullResolution of [true, false]) {
    const before = await readPixels(image)
    const mask = { image: await paintSquare('#030303', { colour: '#ffffff', left: 40, side: 16 }), fullResolution, padding: 4 }
    const request = { initial: { image, strength: 1 }, mask: { ...mask, outpainting: false, blur: 0 } }
    const changed = changedPixels(before, await readPixels(await drawFile(model, request)))
    assert.ok(
      changed.every((i) => i % 64 >= 39 && i % 64 < 57 && i / 64 >= 39 && i / 64 < 57),
      `${fullResolution}`,
    )
    assert.ok(changed.length > 200)
  }
})

test('a blurred mask changes more pixels, in a gradual transition', async () => {
  const image = await paintSquare('#3366cc')
  const mask = { image: await paintSquare('#000000', { colour: '#ffffff', left: 24, side: 16 }), fullResolution: true, padding: 0 }
  const before = await readPixels(image)
  const reach = async (blur: number): Promise<number> => {
    const drawn = await drawFile(model, { initial: { image, strength: 1 }, mask: { ...mask, outpainting: false, blur } })
    return changedPixels(before, await readPixels(drawn)).length
  }
  const [sharpEdge, softEdge] = [await reach(0), await reach(8)]
  assert.ok(softEdge > sharpEdge * 1.5, `${softEdge} after ${sharpEdge}`)
})

test('a faint grey around the white leaves no visible box in the image', async () => {
  // Grey at a third: if only a box around the white were blended, its edge would be visible.
  const image = await paintSquare('#3366cc')
  const mask = await sharp({ create: { width: 64, height: 64, channels: 3, background: '#555555' } })
    .composite([{ input: { create: { width: 8, height: 8, channels: 3, background: '#ffffff' } }, left: 28, top: 28 }])
    .png()
    .toBuffer()
  const request = { initial: { image, strength: 1 }, mask: { image: mask, fullResolution: true, padding: 0, outpainting: false, blur: 0 } }
  const changed = changedPixels(await readPixels(image), await readPixels(await drawFile(model, request)))
  for (const edge of [0, 63]) assert.ok(changed.some((i) => i % 64 === edge) && changed.some((i) => Math.floor(i / 64) === edge))
})

/** Indexes of the pixels that differ. */
function changedPixels(before: Buffer, after: Buffer): readonly number[] {
  return Array.from({ length: before.length / 3 }, (_, i) => i).filter(
    (i) => !before.subarray(i * 3, i * 3 + 3).equals(after.subarray(i * 3, i * 3 + 3)),
  )
}

test('a mask without white is rejected for every purpose', async () => {
  const image = await paintSquare('#3366cc')
  const mask = { image: await paintSquare('#606060'), padding: 4, outpainting: false, blur: 0 }
  for (const fullResolution of [true, false])
    await assert.rejects(drawFile(model, { initial: { image, strength: 1 }, mask: { ...mask, fullResolution } }), {
      code: 'validation_error',
      param: 'mask_image',
    })
})

test('an image with another aspect ratio is cropped, not squashed', async () => {
  // A wide image whose centre is a square: a square drawing keeps only the centre.
  const wide = await sharp(await paintSquare('#3366cc', { colour: '#ffcc00', left: 16, side: 32 }))
    .extend({ left: 64, right: 64, background: '#ff0000' })
    .png()
    .toBuffer()
  const mask = { image: await paintSquare('#000000', { colour: '#ffffff', left: 0, side: 4 }), fullResolution: false, padding: 0 }
  const request = { initial: { image: wide, strength: 0.5 }, mask: { ...mask, outpainting: false, blur: 0 } }
  const pixels = await readPixels(await drawFile(model, request))
  const at = (x: number, y: number): readonly number[] => [...pixels.subarray((y * 64 + x) * 3, (y * 64 + x) * 3 + 3)]
  assert.deepEqual(
    [at(8, 50), at(32, 32), at(60, 8)],
    [
      [0x33, 0x66, 0xcc],
      [0xff, 0xcc, 0x00],
      [0x33, 0x66, 0xcc],
    ],
  )
})

test('a model with a single size returns the centre of its image for other aspect ratios', async () => {
  await using native = await loadTinyModel({ draws: 'native' })
  const square = await readPixels(await drawFile(native, {}))
  const wide = await drawFile(native, { width: 64, height: 32 })
  assert.deepEqual(await readPixels(wide), square.subarray(16 * 64 * 3, 48 * 64 * 3))
  const tall = await readPixels(await drawFile(native, { width: 32, height: 64 }))
  for (let y = 0; y < 64; y++)
    assert.deepEqual(tall.subarray(y * 96, y * 96 + 96), square.subarray((y * 64 + 16) * 3, (y * 64 + 48) * 3), `row ${y}`)
})

test('a wide image keeps its position in a square drawing', async () => {
  await using native = await loadTinyModel({ draws: 'native' })
  const image = await sharp(await paintSquare('#3366cc', { colour: '#ffcc00', left: 16, side: 32 }))
    .extract({ left: 0, top: 16, width: 64, height: 32 })
    .png()
    .toBuffer()
  const mask = await sharp({ create: { width: 64, height: 32, channels: 3, background: '#000000' } })
    .composite([{ input: { create: { width: 8, height: 8, channels: 3, background: '#ffffff' } }, left: 4, top: 12 }])
    .png()
    .toBuffer()
  const request = { width: 64, height: 32, initial: { image, strength: 1 } }
  for (const fullResolution of [true, false]) {
    const drawn = await drawFile(native, { ...request, mask: { image: mask, fullResolution, padding: 2, outpainting: false, blur: 0 } })
    const changed = changedPixels(await readPixels(image), await readPixels(drawn))
    assert.ok(changed.length > 50)
    assert.ok(changed.every((i) => i % 64 >= 4 && i % 64 < 12 && i / 64 >= 12 && i / 64 < 20))
  }
})
