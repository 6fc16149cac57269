import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ImageModelDescriptor, ModelDescriptor, TextModelDescriptor } from '../model.ts'
import { correctEstimate, estimateMemory, type MemoryFacts } from './estimate-memory.ts'

const giga = 1e9
const facts = { textSlots: 8, machineBytes: 24 * giga, gpuBytes: 0 }
const base = { id: 'm', name: 'm', folder: '/', license: null, created: 0 }
const text: TextModelDescriptor = {
  ...base,
  kind: 'text',
  format: 'gguf',
  file: '/m.gguf',
  bytes: 3.3 * giga,
  contextLength: 4096,
  embeddings: false,
  speculative: null,
  weights: {
    architecture: 'llama',
    parameters: 5.8e9,
    quantization: 'Q4_0',
    layers: 32,
    vocabularySize: 32_000,
    cacheBytesPerToken: 131_072,
  },
}
const picture: ImageModelDescriptor = {
  ...base,
  kind: 'image',
  format: 'onnx-sdxl',
  bytes: 13.9 * giga,
  native: { width: 1024, height: 1024 },
  draws: 'requested',
  sizes: { type: 'range', min: 64, max: 2048 },
  defaults: { steps: 30, guidanceScale: 12, sampler: 'DDIM' },
  refiner: null,
}

const expected = (model: ModelDescriptor, given: Partial<MemoryFacts> = {}) => estimateMemory(model, { ...facts, ...given }).expected
const onProcessor = (model: ModelDescriptor) => expected(model).processorBytes

test('a language model takes its file, the keys and values of every slot, and a batch of logits', () => {
  const sum = 3.3 * giga + 4096 * 8 * 131_072 + 512 * 32_000 * 4
  assert.ok(Math.abs(onProcessor(text) - sum) < 0.2 * giga)
})

test('contexts are no longer than memory allows, and short ones are the least it can do with', () => {
  const long = { ...text, contextLength: 131_072 }
  const caches = (24 * giga - 3.3 * giga) / 2
  assert.ok(Math.abs(onProcessor(long) - 3.3 * giga - caches) < 0.5 * giga)
  const { least } = estimateMemory(long, facts)
  assert.ok(Math.abs(least.processorBytes - 3.3 * giga - 256 * 8 * 131_072) < 0.2 * giga)
})

test('a picture model takes its weights, and room to draw that grows with its size', () => {
  assert.ok(onProcessor(picture) > 13.9 * giga * 1.3 + 2 * giga)
  const small = onProcessor({ ...picture, native: { width: 256, height: 256 } })
  assert.ok(onProcessor(picture) - small > 1.9 * giga)
})

test('what a GPU holds of a language model is not taken of the processor; a picture model goes there whole or not at all', () => {
  const whole = onProcessor(text)
  const half = expected(text, { gpuBytes: 2 * giga })
  assert.deepEqual(half, { processorBytes: whole - 2 * giga, gpuBytes: 2 * giga })
  const all = expected(text, { gpuBytes: Number.POSITIVE_INFINITY })
  assert.equal(all.processorBytes + all.gpuBytes, whole)
  assert.ok(all.processorBytes < 0.2 * giga)
  assert.deepEqual(expected(picture, { gpuBytes: 2 * giga }), expected(picture, { gpuBytes: 80 * giga }))
})

test('what was measured replaces what was expected, and nothing needs more than it took', () => {
  const estimate = estimateMemory(text, facts)
  const measured = { processorBytes: 3 * giga, gpuBytes: 0 }
  assert.deepEqual(correctEstimate(estimate, measured), { expected: measured, least: measured })
  const more = { processorBytes: 9 * giga, gpuBytes: 0 }
  assert.deepEqual(correctEstimate(estimate, more), { expected: more, least: estimate.least })
})

test('what runs elsewhere takes nothing', () => {
  assert.deepEqual(expected({ ...text, bytes: 0 }), { processorBytes: 0, gpuBytes: 0 })
})
