import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chooseThreads, gpuSettings, imageBackend, textBackend } from './compute-device.ts'

test('a named backend is required of the engine that supports it; the other engine uses what is available', () => {
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

test('a model computed entirely on a GPU uses at most two threads, any other model all it may use', () => {
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
