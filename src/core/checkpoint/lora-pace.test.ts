import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readLoraPace } from './lora-pace.ts'

const none = new Map<string, string>()

for (const [name, steps, guidanceScale, sampler, timestepSpacing] of [
  ['latent-consistency/lcm-lora-sdxl', 4, 1, 'LCM', null],
  ['LCM_LoRA_Weights_SD15', 4, 1, 'LCM', null],
  ['dmd2_sdxl_4step_lora_fp16', 4, 1, 'LCM', null],
  ['sdxl_lightning_8step_lora', 8, 1, 'K_EULER', 'trailing'],
  ['Hyper-SDXL-2steps-lora', 2, 1, 'DDIM', 'trailing'],
  ['Hyper-SD15-12steps-CFG-lora', 12, 5, 'DDIM', 'trailing'],
  ['sd_xl_turbo_lora_v1', 4, 1, 'K_EULER_ANCESTRAL', 'trailing'],
] as const) {
  test(`${name} uses the steps and guidance of its model card`, () => {
    assert.deepEqual(readLoraPace(name, none), { steps, guidanceScale, sampler, timestepSpacing })
  })
}

test('a renamed LoRA is recognized by the metadata of its file', () => {
  assert.equal(readLoraPace('mine', new Map([['modelspec.title', 'LCM LoRA SDXL']]))?.sampler, 'LCM')
  assert.equal(readLoraPace('mine', new Map([['ss_output_name', 'sdxl_lightning_4step']]))?.sampler, 'K_EULER')
})

test('other LoRAs do not change the settings', () => {
  for (const name of ['lightning-strikes', 'turbocharger', 'elcmar', 'hyperrealism', 'watercolour-8steps', ''])
    assert.equal(readLoraPace(name, none), null)
})
