import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gpuSettings, imageBackend, textBackend } from './compute-device.ts'

test('a named backend binds the engine that has it, and the other one takes what there is', () => {
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
