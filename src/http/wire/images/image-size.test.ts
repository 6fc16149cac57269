import assert from 'node:assert/strict'
import { test } from 'node:test'
import { familyDefaults } from '../../../core/checkpoint/family-defaults.ts'
import { sdxlSizes } from '../../../core/images/image-sizes.ts'
import { describeFakeImage } from '../../../runtimes/fake/fake-catalog.ts'
import { findSizeFaults, requestedSize } from './image-size.ts'

const sdxl = describeFakeImage({ id: 'xl', ...familyDefaults('sdxl', 'xl') })

test('an SDXL checkpoint draws any multiple of 8 within its bounds', () => {
  for (const [width, height] of [
    [512, 512],
    [1280, 720],
    [1024, 1024],
    [2048, 64],
  ] as const)
    assert.deepEqual(findSizeFaults(sdxl, width, height), [])
  for (const [width, height] of [
    [513, 512],
    [1024, 2056],
    [56, 64],
  ] as const)
    assert.match(findSizeFaults(sdxl, width, height)[0]?.message ?? '', /use multiples of 8 from 64 to 2048/)
})

test("if only one side is given, the other follows the aspect ratio of the model's default size, unless sizes are a list", () => {
  assert.deepEqual(requestedSize({ width: 1280 }, sdxl), { width: 1280, height: 1280 })
  assert.deepEqual(requestedSize({ height: 600 }, { ...sdxl, native: { width: 768, height: 512 } }), { width: 904, height: 600 })
  assert.deepEqual(requestedSize({ height: 4096 }, sdxl), { width: 2048, height: 4096 })
  assert.deepEqual(requestedSize({}, sdxl), sdxl.native)
  assert.deepEqual(requestedSize({ width: 896 }, { ...sdxl, sizes: sdxlSizes }), { width: 896, height: 1024 })
})
