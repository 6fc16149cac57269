import assert from 'node:assert/strict'
import { test } from 'node:test'
import { WeightTable } from '../weights/weight-table.ts'
import { readLoraKey } from './lora-modules.ts'
import { transformerTargets } from './transformer-modules.ts'

test('a transformer module is found by its diffusers, ai-toolkit and peft names', () => {
  const module = 'layers.0.attention.to_q'
  const weight = { type: 'F32', shape: [1, 1], offset: 0, bytes: 4, file: 'z', transposed: false } as const
  const targets = transformerTargets('z-image', new WeightTable('/', 'z', new Map([[`${module}.weight`, weight]])))
  for (const prefix of ['transformer.', 'diffusion_model.', 'base_model.model.', '']) {
    const key = readLoraKey(`${prefix}${module}.lora_A.weight`)
    assert.deepEqual(targets.get(key?.module ?? ''), [{ network: 'unet', module, numbers: 1 }], prefix)
  }
})
