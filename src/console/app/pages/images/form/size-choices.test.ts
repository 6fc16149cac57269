import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ratioName, sizeChoices, sizeFault } from './size-choices.ts'

test('a list of sizes is offered unchanged', () => {
  const list = [{ width: 1024, height: 1024 }]
  assert.deepEqual(sizeChoices({ native: { width: 1024, height: 1024 }, sizes: { type: 'list', sizes: list } }), list)
})

test('a range offers common aspect ratios in multiples of eight within its bounds', () => {
  const choices = sizeChoices({ native: { width: 256, height: 256 }, sizes: { type: 'range', min: 208, max: 320 } })
  assert.deepEqual(choices[0], { width: 256, height: 256 })
  for (const { width, height } of choices) {
    assert.equal((width % 8) + (height % 8), 0)
    assert.ok(Math.min(width, height) >= 208 && Math.max(width, height) <= 320)
  }
})

test('sizes have their common names, including the sizes of SDXL', () => {
  const names = [
    [1024, 1024, '1:1'],
    [896, 1152, '4:5'],
    [832, 1216, '2:3'],
    [1344, 768, '16:9'],
    [640, 1536, '9:21'],
    [512, 128, '4:1'],
  ] as const
  for (const [width, height, name] of names) assert.equal(ratioName({ width, height }), name)
})

test('a custom size is checked against the limits of the model', () => {
  const model = { native: { width: 250, height: 250 }, sizes: { type: 'range', min: 64, max: 512 } } as const
  for (const side of [64, 512, 250]) assert.equal(sizeFault({ width: side, height: side }, model), null)
  for (const width of [Number.NaN, 0, -64, 65, 520]) assert.equal(sizeFault({ width, height: 64 }, model), 'Multiples of 8 from 64 to 512.')
})
