import assert from 'node:assert/strict'
import { test } from 'node:test'
import { familyDefaults } from './family-defaults.ts'
import type { TensorPlace } from './safetensors-header.ts'
import { detectSafetensorsKind } from './safetensors-kind.ts'

const names = [
  'model.diffusion_model.input_blocks.0.0.weight',
  'cond_stage_model.transformer.text_model.embeddings.token_embedding.weight',
  'first_stage_model.decoder.conv_in.weight',
]

function predictionOf(metadata: Readonly<Record<string, string>>, ...more: readonly string[]): string | null {
  const place: TensorPlace = { type: 'F16', shape: [8, 4, 3, 3], offset: 0, bytes: 0 }
  const tensors = new Map([...names, ...more].map((name) => [name, place]))
  const found = detectSafetensorsKind({ tensors, metadata: new Map(Object.entries(metadata)) })
  assert.ok(found.kind === 'checkpoint')
  return found.prediction
}

test("the prediction type follows the file's markers and metadata", () => {
  assert.equal(predictionOf({}), null)
  assert.equal(predictionOf({}, 'v_pred'), 'v_prediction')
  for (const stated of ['v', 'V', 'v_prediction', 'v-prediction', 'vpred', 'v_pred', 'V Prediction', 'velocity'])
    assert.equal(predictionOf({ 'modelspec.prediction_type': stated }), 'v_prediction', stated)
  for (const stated of ['epsilon', 'Epsilon', 'eps']) assert.equal(predictionOf({ 'modelspec.prediction_type': stated }), 'epsilon', stated)
  assert.equal(predictionOf({ prediction_type: 'v_prediction' }), 'v_prediction')
  assert.equal(predictionOf({ ss_v_parameterization: 'True' }), 'v_prediction')
  assert.equal(predictionOf({ ss_v_parameterization: 'False' }), null)
  assert.equal(predictionOf({ ss_v_parameterization: 'True', 'modelspec.prediction_type': 'epsilon' }), 'epsilon')
  assert.equal(predictionOf({ 'modelspec.prediction_type': 'flow' }), null)
})

test('networks of which only some names are those of FLUX are rejected', () => {
  const kindOf = (name: string, columns: number) => {
    const place = (shape: readonly number[]): TensorPlace => ({ type: 'F16', shape, offset: 0, bytes: 0 })
    const tensors = new Map([
      ['double_blocks.0.img_attn.qkv.weight', place([96, 32])],
      [name, place([32, columns])],
    ])
    const found = detectSafetensorsKind({ tensors, metadata: new Map() })
    return found.kind === 'unknown' ? found.reason : found.kind
  }
  assert.equal(kindOf('img_in.weight', 64), 'transformer')
  assert.match(kindOf('img_in.weight', 384), /^takes 384 input channels instead of 64; .*FLUX\.1 Fill/)
  assert.match(kindOf('controlnet_blocks.0.weight', 32), /^is a ControlNet for a transformer/)
  assert.match(kindOf('distilled_guidance_layer.in_proj.weight', 32), /^is a Chroma model/)
})

test('a name with "vpred" means velocity prediction in every family', () => {
  for (const name of ['noobai-xl-vpred', 'NoobAI-XL-Vpred-v1.0', 'x_v-pred', 'x v_pred']) {
    assert.equal(familyDefaults('sdxl', name).prediction, 'v_prediction')
    assert.equal(familyDefaults('sd15', name).prediction, 'v_prediction')
  }
  assert.equal(familyDefaults('sdxl', 'noobai-xl').prediction, null)
  assert.deepEqual(familyDefaults('sd15', 'x-vpred').native, { width: 512, height: 512 })
  assert.deepEqual(familyDefaults('sd2', 'v2-1_768').native, { width: 768, height: 768 })
})
