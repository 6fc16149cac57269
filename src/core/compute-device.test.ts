import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chooseThreads, gpuSettings, imageBackend, textBackend } from './compute-device.ts'

test('a named backend is required of the engine that has it; the other uses what is available', () => {
  const table = gpuSettings.map((gpu) => [gpu, textBackend(gpu), imageBackend(gpu)])
  assert.deepEqual(table, [
    ['auto', 'auto', 'auto'],
    ['off', 'off', 'off'],
    ['cuda', 'cuda', 'cuda'],
    ['vulkan', 'vulkan', 'auto'],
    ['metal', 'metal', 'auto'],
    ['webgpu', 'auto', 'webgpu'],
  ])
})

test('a model that a GPU computes wholly takes two threads at most, any other all it may have', () => {
  const of = (allowed: number) => [true, false].map((wholeOnGpu) => chooseThreads(allowed, { wholeOnGpu }))
  assert.deepEqual(
    [of(1), of(2), of(16)],
    [
      [1, 1],
      [2, 2],
      [2, 16],
    ],
  )
})
