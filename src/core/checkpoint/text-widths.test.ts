import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CheckpointFamily } from './checkpoint-family.ts'
import { readTextWidths, readVectorWidths } from './text-widths.ts'

function headerOf(shapes: Readonly<Record<string, readonly number[]>>) {
  return {
    tensors: new Map(Object.entries(shapes).map(([name, shape]) => [name, { type: 'F32', shape, offset: 0, bytes: 4 } as const])),
  }
}

const clip = 'conditioner.embedders.0.transformer.text_model.embeddings.token_embedding.weight'
const table = 'token_embedding.weight'

const models: readonly (readonly [string, CheckpointFamily, Readonly<Record<string, readonly number[]>>, object | undefined])[] = [
  ['Stable Diffusion 1.5', 'sd15', { [`cond_stage_model.transformer.text_model.embeddings.${table}`]: [49408, 768] }, { first: 768 }],
  ['one with older names', 'sd15', { [`cond_stage_model.transformer.embeddings.${table}`]: [49408, 768] }, { first: 768 }],
  ['Stable Diffusion 2', 'sd2', { [`cond_stage_model.model.${table}`]: [49408, 1024] }, { first: 1024 }],
  ['SDXL', 'sdxl', { [clip]: [49408, 768], [`conditioner.embedders.1.model.${table}`]: [49408, 1280] }, { first: 768, second: 1280 }],
  ['the refiner', 'sdxl-refiner', { [`conditioner.embedders.0.model.${table}`]: [49408, 1280] }, { second: 1280 }],
  ['SDXL with one encoder that is unknown', 'sdxl', { [clip]: [49408, 768] }, undefined],
  ['a transformer', 'sd3', { [`cond_stage_model.model.${table}`]: [49408, 768] }, undefined],
]
for (const [name, family, shapes, widths] of models)
  test(`the widths of the text encoders of ${name} follow from the header`, () => {
    assert.deepEqual(readTextWidths(headerOf(shapes), family), widths)
  })

test('the widths of vectors follow from the header of a textual inversion, and of a LoRA that contains one', () => {
  for (const [kind, shapes, widths] of [
    ['textual-inversion', { clip_l: [3, 768], clip_g: [3, 1280] }, { first: 768, second: 1280 }],
    ['textual-inversion', { clip_g: [3, 1280], step: [] }, { second: 1280 }],
    ['textual-inversion', { emb_params: [3, 1024] }, { first: 1024 }],
    ['textual-inversion', { '<word>': [768] }, { first: 768 }],
    ['lora', { 'bundle_emb.a.clip_l': [3, 768], 'bundle_emb.a.clip_g': [3, 1280] }, { first: 768, second: 1280 }],
    ['lora', { 'bundle_emb.a.string_to_param.*': [3, 768], 'lora_unet_a.lora_down.weight': [4, 320] }, { first: 768 }],
    ['lora', { 'lora_unet_a.lora_down.weight': [4, 320] }, undefined],
  ] as const)
    assert.deepEqual(readVectorWidths(headerOf(shapes), kind), widths)
})
