import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TensorPlace, TensorType } from './safetensors-header.ts'
import { detectSafetensorsKind } from './safetensors-kind.ts'
import { refuseStorage } from './stored-weights.ts'

type Rows = readonly (readonly [name: string, type: TensorType, shape: readonly number[]])[]

const tensorsOf = (rows: Rows): ReadonlyMap<string, TensorPlace> =>
  new Map(rows.map(([name, type, shape]) => [name, { type, shape, offset: 0, bytes: 0 }]))

const weight = 'model.diffusion_model.input_blocks.1.1.proj_in.weight'
const beside = (ending: string) => weight.replace(/weight$/, ending)

const refused: readonly (readonly [what: string, rows: Rows, reason: RegExp])[] = [
  [
    'int8',
    [
      [weight, 'I8', [8, 4]],
      [beside('weight_scale'), 'F32', []],
    ],
    /stores its weights as I8 \("model\./,
  ],
  [
    'NF4',
    [
      [weight, 'U8', [16, 1]],
      [`${weight}.absmax`, 'F32', [1]],
      [`${weight}.quant_state.bitsandbytes__nf4`, 'U8', [2]],
    ],
    /I8|U8|NF4 or FP4/,
  ],
  [
    'NF4 by its tables alone',
    [
      [weight, 'F16', [8, 4]],
      [`${weight}.quant_map`, 'F32', [16]],
    ],
    /NF4 or FP4 \(bitsandbytes\)/,
  ],
  [
    'int8 of bitsandbytes',
    [
      [weight, 'I8', [8, 4]],
      [beside('SCB'), 'F32', [8]],
    ],
    /I8|int8/,
  ],
  [
    'NVFP4',
    [
      [weight, 'F16', [8, 4]],
      [beside('weight_scale_2'), 'F32', []],
    ],
    /NVFP4/,
  ],
  [
    'scales of blocks',
    [
      [weight, 'F8_E4M3', [8, 4]],
      [beside('weight_scale'), 'F32', [2, 1]],
    ],
    /scales of blocks/,
  ],
  [
    'scales of blocks by another name',
    [
      [weight, 'F8_E4M3', [8, 4]],
      [beside('weight_scale_inv'), 'F32', [2, 1]],
    ],
    /scales of blocks/,
  ],
  ['GPTQ', [[beside('qweight'), 'I32', [8, 4]]], /GPTQ, AWQ or SVDQuant/],
  [
    'fp8 marked as scaled, without a scale',
    [
      [weight, 'F8_E4M3', [8, 4]],
      [beside('comfy_quant'), 'U8', [29]],
    ],
    /lacks the scale of ".*proj_in\.weight", which is stored in fp8/,
  ],
  [
    'fp8 with the scale of one matrix missing',
    [
      [weight, 'F8_E4M3', [8, 4]],
      ['model.diffusion_model.out.2.weight', 'F8_E4M3', [8, 4]],
      ['model.diffusion_model.out.2.scale_weight', 'F32', []],
      ['model.diffusion_model.scaled_fp8', 'F8_E4M3', [2]],
    ],
    /lacks the scale of ".*proj_in\.weight"/,
  ],
  [
    'a bias of integers',
    [
      [weight, 'F16', [8, 4]],
      [beside('bias'), 'I32', [8]],
    ],
    /stores its weights as I32 \(".*proj_in\.bias"\)/,
  ],
  ['a scale without a matrix', [[beside('scale_weight'), 'F32', []]], /scale ".*" without its weight/],
]

for (const [what, rows, reason] of refused)
  test(`weights stored with ${what} are rejected by name`, () => assert.match(refuseStorage(tensorsOf(rows)) ?? '', reason))

test('fp8 with one scale or one per row, its markers and scales of activations are read', () => {
  const scales: Rows = [
    [beside('scale_weight'), 'F32', [1]],
    [beside('scale_input'), 'F32', []],
    [beside('comfy_quant'), 'U8', [30]],
    ['model.diffusion_model.scaled_fp8', 'F8_E4M3', [0]],
    ['cond_stage_model.transformer.text_model.embeddings.position_ids', 'I64', [1, 77]],
    ['model_ema.weight', 'I64', []],
  ]
  assert.equal(refuseStorage(tensorsOf([[weight, 'F8_E4M3', [8, 4]], ...scales])), null)
  assert.equal(
    refuseStorage(
      tensorsOf([
        [weight, 'F8_E5M2', [8, 4]],
        [beside('weight_scale'), 'BF16', [8, 1]],
      ]),
    ),
    null,
  )
})

test('a checkpoint whose UNet holds tensors that drawing would not read is rejected with their name', () => {
  const rows: Rows = [
    ['model.diffusion_model.input_blocks.0.0.weight', 'F16', [8, 4, 3, 3]],
    [weight, 'F16', [8, 8]],
    ['cond_stage_model.transformer.text_model.embeddings.token_embedding.weight', 'F16', [8, 8]],
    ['first_stage_model.decoder.conv_in.weight', 'F16', [8, 4, 3, 3]],
  ]
  const detect = (more: Rows) => detectSafetensorsKind({ tensors: tensorsOf([...rows, ...more]), metadata: new Map() })
  assert.equal(detect([]).kind, 'checkpoint')
  for (const name of ['model.diffusion_model.input_blocks.1.1.proj_in.gamma', 'model.diffusion_model.fuser.0.weight']) {
    const found = detect([[name, 'F16', [1]]])
    assert.deepEqual(found, { kind: 'unknown', reason: `holds a tensor "${name}" that Sepia does not know` })
  }
})

const files: readonly (readonly [kind: string, name: string, shape: readonly number[]])[] = [
  ['vae', 'decoder.conv_in.weight', [512, 16, 3, 3]],
  ['controlnet', 'controlnet_cond_embedding.conv_in.weight', [16, 3, 3, 3]],
  ['text-encoder', 'encoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight', [32, 64]],
  ['transformer', 'double_blocks.0.img_attn.qkv.weight', [96, 32]],
  ['lora', 'lora_unet_input_blocks_1_1_proj_in.lora_down.weight', [4, 32]],
  ['textual-inversion', 'emb_params', [2, 768]],
]

for (const [kind, name, shape] of files)
  test(`a ${kind} whose numbers are of a type without fractions is rejected by its header`, () => {
    const detect = (type: TensorType, more: Rows = []) =>
      detectSafetensorsKind({ tensors: tensorsOf([[name, type, shape], ...more]), metadata: new Map() })
    for (const type of ['F64', 'F32', 'F16', 'BF16'] as const) assert.equal(detect(type).kind, kind, type)
    for (const type of ['I64', 'I32', 'U16', 'BOOL'] as const) {
      const found = detect(type)
      assert.ok(found.kind === 'unknown' && found.reason.includes(type) && found.reason.includes(name), `${type}: ${found.kind}`)
    }
    if (kind !== 'lora') return
    assert.equal(detect('F16', [['lora_unet_input_blocks_1_1_proj_in.alpha', 'I64', []]]).kind, 'lora')
    assert.equal(detect('F8_E4M3').kind, 'unknown')
  })

test('a textual inversion without vectors is rejected by its header', () => {
  const detect = (rows: Rows) => detectSafetensorsKind({ tensors: tensorsOf(rows), metadata: new Map() })
  const vectors: readonly (readonly number[])[] = [[], [0], [0, 1280], [3, 0]]
  for (const shape of vectors) {
    const reason = 'holds a textual inversion without vectors in "clip_g"'
    assert.deepEqual(
      detect([
        ['clip_l', 'F32', [1, 768]],
        ['clip_g', 'F32', shape],
      ]),
      { kind: 'unknown', reason },
    )
  }
  for (const shape of vectors.slice(1)) assert.match(JSON.stringify(detect([['emb_params', 'F32', shape]])), /without vectors in/)
  for (const part of ['clip_l', 'clip_g', 'emb_params', 'string_to_param.*'])
    for (const shape of vectors) {
      const lora: Rows = [
        ['lora_te1_text_model_encoder_layers_0_mlp_fc1.lora_down.weight', 'F32', [4, 8]],
        [`bundle_emb.word.${part}`, 'F32', shape],
      ]
      const reason = `holds a textual inversion without vectors in "bundle_emb.word.${part}"`
      assert.deepEqual(detect(lora), { kind: 'unknown', reason })
    }
  const noted: Rows = [
    ['clip_l', 'F32', [1, 768]],
    ['clip_g', 'F32', [1, 1280]],
    ['step', 'F32', []],
  ]
  assert.equal(detect(noted).kind, 'textual-inversion')
  for (const shape of [[768], [1, 768]]) assert.equal(detect([['emb_params', 'F32', shape]]).kind, 'textual-inversion')
  const bundled = (shape: readonly number[]) =>
    detect([
      ['lora_unet_input_blocks_1_1_proj_in.lora_down.weight', 'F32', [4, 320]],
      ['bundle_emb.word.clip_l', 'F32', shape],
    ])
  for (const shape of vectors)
    assert.deepEqual(bundled(shape), { kind: 'unknown', reason: 'holds a textual inversion without vectors in "bundle_emb.word.clip_l"' })
  for (const shape of [[768], [1, 768]]) assert.equal(bundled(shape).kind, 'lora')
})
