import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fillsFrame, placeInFrame } from './extend-frame.ts'

const frame = { width: 512, height: 256 }
const square = { width: 100, height: 100 }

test('an image is placed as large as fits, at the given position', () => {
  assert.deepEqual(placeInFrame(square, frame, { scale: 100, across: 'left', down: 'top' }), { width: 256, height: 256, left: 0, top: 0 })
  assert.deepEqual(placeInFrame(square, frame, { scale: 50, across: 'right', down: 'middle' }), {
    width: 128,
    height: 128,
    left: 384,
    top: 64,
  })
})

test('only an image with the frame’s aspect ratio leaves nothing to draw', () => {
  const place = { scale: 100, across: 'middle', down: 'middle' } as const
  assert.equal(fillsFrame(placeInFrame(square, frame, place), frame), false)
  assert.equal(fillsFrame(placeInFrame({ width: 64, height: 32 }, frame, place), frame), true)
})
