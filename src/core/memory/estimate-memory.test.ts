import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeFakeImage, describeFakeText } from '../../runtimes/fake/fake-catalog.ts'
import type { ModelDescriptor } from '../model.ts'
import { correctEstimate, estimateDrawing, estimateMemory, type MemoryFacts } from './estimate-memory.ts'

const giga = 1e9
const facts = { textSlots: 8, machineBytes: 24 * giga, gpuBytes: 0 }
const text = describeFakeText({
  bytes: 3.3 * giga,
  contextLength: 4096,
  weights: {
    architecture: 'llama',
    parameters: 5.8e9,
    quantization: 'Q4_0',
    layers: 32,
    vocabularySize: 32_000,
    cacheBytesPerToken: 131_072,
  },
})
const picture = describeFakeImage({ bytes: 13.9 * giga, native: { width: 1024, height: 1024 } })

const expected = (model: ModelDescriptor, given: Partial<MemoryFacts> = {}) => estimateMemory(model, { ...facts, ...given }).expected
const onProcessor = (model: ModelDescriptor) => expected(model).processorBytes

test('a language model needs its file, the keys and values of every slot, and a batch of logits', () => {
  const sum = 3.3 * giga + 4096 * 8 * 131_072 + 512 * 32_000 * 4
  assert.ok(Math.abs(onProcessor(text) - sum) < 0.2 * giga)
})

test('keys and values at 8 bits need about half', () => {
  const caches = 4096 * 8 * 131_072
  assert.equal(onProcessor(text) - onProcessor({ ...text, cacheType: 'q8_0' }), caches - (caches * 34) / 64)
})

test('contexts are as long as memory allows, and the minimum counts short ones', () => {
  const long = { ...text, contextLength: 131_072 }
  const caches = (24 * giga - 3.3 * giga) / 2
  assert.ok(Math.abs(onProcessor(long) - 3.3 * giga - caches) < 0.5 * giga)
  const { least } = estimateMemory(long, facts)
  assert.ok(Math.abs(least.processorBytes - 3.3 * giga - 256 * 8 * 131_072) < 0.2 * giga)
})

test("images larger than the model's own size need more, for an ONNX export with the square of the size", () => {
  const drawing = (format: 'onnx-sdxl' | 'safetensors', side: number, gpuBytes = 0) =>
    estimateDrawing({ ...picture, format }, { width: side, height: side }, { ...facts, gpuBytes })
  const more = (format: 'onnx-sdxl' | 'safetensors', side: number) =>
    drawing(format, side).processorBytes - drawing(format, 1024).processorBytes
  for (const format of ['onnx-sdxl', 'safetensors'] as const) {
    assert.deepEqual(drawing(format, 1024), expected({ ...picture, format }))
    assert.deepEqual(drawing(format, 512), expected({ ...picture, format }))
  }
  assert.equal(more('safetensors', 2048), 3 * 1024 ** 2 * 2048)
  assert.equal(more('safetensors', 4096), 15 * 1024 ** 2 * 2048)
  assert.equal(more('onnx-sdxl', 2048), 3 * 1024 ** 2 * 2048 + 15 * 2.7 * giga)
  const [onGpu, small] = [drawing('safetensors', 2048, 8 * giga), drawing('safetensors', 1024, 8 * giga)]
  assert.deepEqual([onGpu.processorBytes - small.processorBytes, onGpu.gpuBytes - small.gpuBytes], [0, 3 * 1024 ** 2 * 2048])
})

test('reference images need memory whatever the size of the drawing', () => {
  const estimate = (size: { readonly width: number; readonly height: number }, seen: number) =>
    estimateDrawing({ ...picture, format: 'safetensors' }, { ...size, referencePixels: seen }, facts).processorBytes
  const [small, own, large] = [512, 1024, 2048].map((side) => ({ width: side, height: side }))
  assert.ok(small && own && large)
  for (const size of [small, own, large]) assert.equal(estimate(size, 4 * 1024 ** 2) - estimate(size, 0), 4 * 1024 ** 2 * 1024)
})

test('models that draw at their own size, in tiles or on other servers need no more for larger images', () => {
  const large = { width: 4096, height: 4096 }
  for (const change of [{ draws: 'native' }, { format: 'upscaler' }, { bytes: 0, format: 'a1111' }] as const) {
    const model = { ...picture, ...change }
    const small = estimateDrawing(model, { width: 64, height: 64 }, facts)
    assert.deepEqual(estimateDrawing(model, large, facts), small)
  }
})

test('an image model needs its weights plus memory to draw that grows with its size', () => {
  assert.ok(onProcessor(picture) > 13.9 * giga * 1.3 + 2 * giga)
  const small = onProcessor({ ...picture, native: { width: 256, height: 256 } })
  assert.ok(onProcessor(picture) - small > 1.9 * giga)
})

test('GPU memory of a language model is not counted as RAM; an image model is on the GPU entirely or not at all', () => {
  const whole = onProcessor(text)
  const half = expected(text, { gpuBytes: 2 * giga })
  assert.deepEqual(half, { processorBytes: whole - 2 * giga, gpuBytes: 2 * giga })
  const all = expected(text, { gpuBytes: Number.POSITIVE_INFINITY })
  assert.equal(all.processorBytes + all.gpuBytes, whole)
  assert.ok(all.processorBytes < 0.2 * giga)
  assert.deepEqual(expected(picture, { gpuBytes: 2 * giga }), expected(picture, { gpuBytes: 80 * giga }))
})

test('a measurement replaces the estimate and bounds the minimum', () => {
  const estimate = estimateMemory(text, facts)
  const measured = { processorBytes: 3 * giga, gpuBytes: 0 }
  assert.deepEqual(correctEstimate(estimate, measured), { expected: measured, least: measured })
  const more = { processorBytes: 9 * giga, gpuBytes: 0 }
  assert.deepEqual(correctEstimate(estimate, more), { expected: more, least: estimate.least })
})

test('models on other servers need no memory', () => {
  assert.deepEqual(expected({ ...text, bytes: 0 }), { processorBytes: 0, gpuBytes: 0 })
})
