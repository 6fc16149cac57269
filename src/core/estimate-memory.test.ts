import assert from 'node:assert/strict'
import { test } from 'node:test'
import { estimateMemory } from './estimate-memory.ts'
import type { ImageModelDescriptor, TextModelDescriptor } from './model.ts'

const giga = 1e9
const facts = { textSlots: 8, machineBytes: 24 * giga }
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

test('a language model takes its file, a repacked copy, the keys and values of every slot, and a batch of logits', () => {
  // 5.8 B of Q4_0 with 8 contexts of 4 096 tokens was measured at 10.6 GB.
  const expected = 2 * 3.3 * giga + 4096 * 8 * 131_072 + 512 * 32_000 * 4
  assert.ok(Math.abs(estimateMemory(text, facts) - expected) < 0.2 * giga)
  assert.ok(Math.abs(estimateMemory(text, facts) / (10.6 * giga) - 1) < 0.15)
})

test('contexts are no longer than memory allows, and weights that are not repacked count once', () => {
  const long = { ...text, contextLength: 131_072 }
  const caches = (24 * giga - 3.3 * giga) / 2
  assert.ok(Math.abs(estimateMemory(long, facts) - 2 * 3.3 * giga - caches) < 0.5 * giga)
  const plain = { ...text, weights: { ...text.weights, quantization: 'F16' } as NonNullable<TextModelDescriptor['weights']> }
  assert.equal(estimateMemory(text, facts) - estimateMemory(plain, facts), 3.3 * giga)
})

test('a picture model takes its weights, and room to draw that grows with its size', () => {
  assert.ok(estimateMemory(picture, facts) > 13.9 * giga * 1.3 + 2 * giga)
  const small = estimateMemory({ ...picture, native: { width: 256, height: 256 } }, facts)
  assert.ok(estimateMemory(picture, facts) - small > 1.9 * giga)
})

test('what runs elsewhere takes nothing', () => {
  assert.equal(estimateMemory({ ...text, bytes: 0 }, facts), 0)
})
