import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loraFacts, mayFit } from './lora-facts.ts'

const place = { type: 'F32', shape: [1], offset: 0, bytes: 4 } as const

test('the families that a LoRA may fit follow from the names of its modules', () => {
  for (const [name, families] of [
    ['lora_unet_double_blocks_0_img_attn_qkv.lora_down.weight', 'flux-dev flux-schnell flux2-klein'],
    ['transformer.single_transformer_blocks.0.attn.to_q.lora_A.weight', 'flux-dev flux-schnell flux2-klein'],
    ['transformer.transformer_blocks.0.attn.to_q.lora_A.weight', 'flux-dev flux-schnell flux2-klein sd3'],
    ['lora_unet_joint_blocks_0_x_block_attn_qkv.lora_down.weight', 'sd3'],
    ['diffusion_model.layers.0.attention.to_q.lora_A.weight', 'z-image'],
    ['lora_unet_layers_0_feed_forward_w1.lora_down.weight', 'z-image'],
    ['lora_unet_down_blocks_1_attentions_0_transformer_blocks_0_attn1_to_q.lora_down.weight', undefined],
    ['lora_te1_text_model_encoder_layers_0_self_attn_q_proj.lora_down.weight', undefined],
  ] as const)
    assert.equal(loraFacts({ tensors: new Map([[name, place]]) }).families?.join(' '), families, name)
  assert.equal(loraFacts({ tensors: new Map([['bundle_emb.word.clip_l', place]]) }).embeds, true)
})

test('the width of the transformer follows from the first factor of an attention, in the naming schemes of all trainers', () => {
  for (const [name, width] of [
    ['lora_unet_joint_blocks_0_x_block_attn_qkv.lora_down.weight', 1536],
    ['lora_unet_double_blocks_0_img_attn_qkv.lora_down.weight', 1536],
    ['transformer.transformer_blocks.0.attn.to_q.lora_A.weight', 1536],
    ['base_model.model.transformer_blocks.0.attn.to_q.lora_A.default.weight', 1536],
    ['transformer.transformer_blocks.0.attn.to_q.lora_B.weight', undefined],
    ['transformer.transformer_blocks.0.attn.to_q.lokr_w1', undefined],
    ['transformer.transformer_blocks.0.ff.net.2.lora_A.weight', undefined],
    ['lora_unet_down_blocks_1_attentions_0_transformer_blocks_0_attn1_to_q.lora_down.weight', undefined],
  ] as const)
    assert.equal(loraFacts({ tensors: new Map([[name, { ...place, shape: [4, 1536] }]]) }).width, width, name)
  const lora = { family: null, families: ['sd3'], width: 1536 } as const
  assert.deepEqual(
    [1536, 2432, undefined].map((width) => mayFit(lora, 'sd3', width === undefined ? {} : { width })),
    [true, false, true],
  )
  assert.equal(mayFit({ family: null, families: ['sd3'] }, 'sd3', { width: 2432 }), true)
})
