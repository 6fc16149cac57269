import assert from 'node:assert/strict'
import { test } from 'node:test'
import { resizeLatents } from './resize-latents.ts'

test('latents are enlarged as PyTorch interpolates them', () => {
  const size = { channels: 2, width: 2, height: 2 }
  const larger = resizeLatents(Float32Array.of(1, 2, 3, 4, 0, 0, 0, 8), size, { ...size, width: 4, height: 4 })
  // torch.nn.functional.interpolate(…, size=(4, 4), mode='bilinear', align_corners=False)
  const first = [1, 1.25, 1.75, 2, 1.5, 1.75, 2.25, 2.5, 2.5, 2.75, 3.25, 3.5, 3, 3.25, 3.75, 4]
  const second = [0, 0, 0, 0, 0, 0.5, 1.5, 2, 0, 1.5, 4.5, 6, 0, 2, 6, 8]
  assert.deepEqual([...larger], [...first, ...second])
})

test('another proportion stretches, and the same size changes nothing', () => {
  const row = { channels: 1, width: 4, height: 1 }
  const values = Float32Array.of(0, 3, 6, 9)
  assert.deepEqual(
    [...resizeLatents(values, row, { ...row, width: 6, height: 2 })].slice(0, 6),
    [0, 1.5, 3.5, 5.5, 7.5, 9].map(Math.fround),
  )
  assert.deepEqual(resizeLatents(values, row, row), values)
})
