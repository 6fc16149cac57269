import assert from 'node:assert/strict'
import { test } from 'node:test'
import { frameOf, intoFrame, maskIntoFrame, outOfFrame } from './frame.ts'

/** A grey picture of the given rows. */
const grey = (rows: readonly (readonly number[])[]) => ({
  data: Uint8Array.from(rows.flat()),
  width: rows[0]?.length ?? 0,
  height: rows.length,
})

test('an image is centred in its frame and keeps its aspect ratio', () => {
  assert.deepEqual(frameOf({ width: 512, height: 256 }, { width: 256, height: 256 }).window, { left: 0, top: 64, width: 256, height: 128 })
  assert.deepEqual(frameOf({ width: 64, height: 128 }, { width: 256, height: 256 }).window, { left: 64, top: 0, width: 128, height: 256 })
  assert.deepEqual(frameOf({ width: 72, height: 72 }, { width: 80, height: 80 }).window, { left: 0, top: 0, width: 80, height: 80 })
  assert.deepEqual(frameOf({ width: 2048, height: 8 }, { width: 64, height: 64 }).window, { left: 0, top: 31, width: 64, height: 1 })
})

test('outside the image its mirror image is repeated as often as needed', async () => {
  const frame = frameOf({ width: 3, height: 1 }, { width: 3, height: 9 })
  const { data } = await maskIntoFrame(grey([[10, 20, 30]]), frame)
  for (let row = 0; row < 9; row++) assert.deepEqual([...data.subarray(row * 3, row * 3 + 3)], [10, 20, 30])
  const tall = frameOf({ width: 1, height: 2 }, { width: 5, height: 2 })
  assert.deepEqual([...(await maskIntoFrame(grey([[10], [20]]), tall)).data], [10, 10, 10, 10, 10, 20, 20, 20, 20, 20])
  const two = frameOf({ width: 2, height: 2 }, { width: 2, height: 7 })
  const rows = [
    ...(
      await maskIntoFrame(
        grey([
          [1, 2],
          [3, 4],
        ]),
        two,
      )
    ).data,
  ].filter((_, i) => i % 2 === 0)
  assert.deepEqual(rows, [3, 1, 1, 3, 3, 1, 1])
})

test('an image that is framed and cropped back is unchanged', async () => {
  const image = { data: Uint8Array.from({ length: 8 * 4 * 3 }, (_, i) => (i * 7) % 256), width: 8, height: 4 }
  const frame = frameOf(image, { width: 8, height: 8 })
  const back = await outOfFrame(await intoFrame(image, frame), frame)
  assert.deepEqual([back.width, back.height], [8, 4])
  assert.deepEqual(Uint8Array.from(back.data), image.data)
})
