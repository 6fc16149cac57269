import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loraFacts } from './lora-facts.ts'

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
