import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { gridInputs } from './grid-inputs.ts'

const shape = { patchSize: 14, headWidth: 8, windows: true, tableSide: 3 }
const size = { width: 14 * 10, height: 14 * 2 }
const planes = Float32Array.from({ length: 3 * size.width * size.height }, (_, index) => index)
const inputs = gridInputs(planes, size, shape)
const read = (name: string): readonly number[] => [...(inputs[name]?.values ?? [])]

suite('the inputs of a vision tower for an image of any size', () => {
  test('are ordered square by square, each patch with its lines of one colour after the other', () => {
    const first = (patch: number) => read('patches')[patch * 3 * 14 * 14]
    assert.deepEqual([0, 1, 2, 3, 4].map(first), [0, 14, 14 * 140, 14 * 141, 28])
    assert.equal(read('patches')[14], 140)
    assert.equal(read('patches')[14 * 14], 140 * 28)
  })

  test('rotate by rows in the first half of the pairs, by columns in the second', () => {
    const angles = read('sin').slice(4 * 7, 4 * 8) // line 1, column 3
    assert.deepEqual(
      angles,
      [1, 0.01, 3, 0.03].map((angle) => Math.fround(Math.sin(angle))),
    )
  })

  test('are split into windows, where positions without a patch are masked', () => {
    assert.deepEqual(inputs.windows?.dims, [2, 64])
    assert.deepEqual(read('windows').slice(0, 18), [...Array.from({ length: 16 }, (_, patch) => patch), 0, 0])
    assert.deepEqual(read('windows').slice(64, 69), [16, 17, 18, 19, 0])
    assert.deepEqual(read('back').slice(14, 18), [14, 15, 64, 65])
    const seen = (window: number) =>
      read('mask')
        .slice(window * 64 * 64, window * 64 * 64 + 64)
        .filter((value) => value === 0).length
    assert.deepEqual([seen(0), seen(1)], [16, 4])
  })

  test('interpolate positions from a table with aligned corners', () => {
    const patches = 20
    const mixOf = (patch: number) =>
      [0, 1, 2, 3].map((corner) => [read('entries')[corner * patches + patch], Math.fround(read('shares')[corner * patches + patch] ?? 0)])
    assert.deepEqual(mixOf(0)[0], [0, 1])
    assert.deepEqual(mixOf(19)[0], [8, 1])
    const share = (part: number) => Math.fround(part / 9)
    assert.deepEqual(mixOf(1), [
      [0, share(7)],
      [1, share(2)],
      [3, 0],
      [4, 0],
    ])
  })
})
