import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeFakeImage } from '../../runtimes/fake/fake-catalog.ts'
import type { PartSizes } from '../checkpoint/model-parts.ts'
import { estimateMemory } from './estimate-memory.ts'
import { findFittingTransformer, partsInFile, planParts } from './image-parts.ts'

const giga = 1e9
const native = { width: 1024, height: 1024 }
const sizes = (texts: number, transformer: number, vae = 0.3): PartSizes => ({
  texts: texts * giga,
  transformer: transformer * giga,
  vae: vae * giga,
})
const model = (parts: PartSizes | null) =>
  describeFakeImage({
    format: 'safetensors',
    native,
    bytes: parts === null ? 7 * giga : parts.texts + parts.transformer + parts.vae,
    checkpoint: { family: 'flux-schnell', inpainting: false, weights: '/m', prediction: null, ...(parts && { parts }) },
  })

// FLUX.1 schnell with T5 in fp8: the transformer in Q4_0, and in bfloat16; Z-Image with Qwen3; a text encoder larger than its transformer; SDXL.
const plans: readonly (readonly [name: string, PartSizes | null, budget: number, inTurn: boolean, peak: number, least: number])[] = [
  ['everything fits', sizes(5.1, 6.8), 18, false, 14.5, 6.9],
  ['the transformer fits alone', sizes(5.1, 6.8), 12, true, 9.1, 6.9],
  ['not even the transformer fits', sizes(5.1, 23.8), 12, true, 26.1, 23.9],
  ['a small transformer behind a large text encoder', sizes(9, 4), 10, true, 9.1, 9.1],
  ['a model with unknown parts', null, 4, false, 9.3, 7.1],
]

for (const [name, parts, budget, inTurn, peak, least] of plans)
  test(`${name}: parts are loaded ${inTurn ? 'in turn' : 'together'}`, () => {
    const plan = planParts(model(parts), budget * giga)
    assert.equal(plan.inTurn, inTurn)
    assert.ok(Math.abs(plan.peak / giga - peak) < 0.11, `${plan.peak}`)
    assert.ok(Math.abs(plan.least / giga - least) < 0.11, `${plan.least}`)
    if (parts === null) return
    const facts = { textSlots: 1, machineBytes: budget * giga, gpuBytes: 0 }
    const { expected, least: needed } = estimateMemory(model(parts), facts)
    assert.deepEqual([expected.processorBytes, needed.processorBytes], [plan.peak, plan.least])
    // It fits entirely on a GPU.
    assert.ok(estimateMemory(model(parts), { ...facts, gpuBytes: 80 * giga }).least.gpuBytes >= model(parts).bytes)
  })

test('suggests a quantization with which the largest part fits', () => {
  const found = (parts: PartSizes, budget: number) => findFittingTransformer(parts, budget * giga)?.name ?? null
  assert.equal(found(sizes(5.1, 23.8), 14), 'Q8_0')
  assert.equal(found(sizes(5.1, 23.8), 8), 'Q4_0')
  assert.equal(found(sizes(5.1, 23.8), 6), null)
  assert.equal(found(sizes(9.8, 23.8), 8), null)
})

test('parts inside a single file are recognized by the prefixes of their tensors', () => {
  const place = (bytes: number) => ({ type: 'F16', shape: [bytes / 2], offset: 0, bytes }) as const
  const tensors = new Map([
    ['model.diffusion_model.double_blocks.0.img_attn.qkv.weight', place(100)],
    ['text_encoders.clip_l.transformer.text_model.final_layer_norm.weight', place(20)],
    ['text_encoders.t5xxl.transformer.shared.weight', place(40)],
    ['vae.decoder.conv_in.weight', place(8)],
  ])
  assert.deepEqual(partsInFile({ tensors }, 'flux-schnell'), { texts: 60, transformer: 100, vae: 8 })
})
