import type { Holds, ModulePair } from './module-names.ts'

/** More blocks and layers than any VAE of this kind has; names that lead nowhere do no harm. */
const most = 8

const attentionParts: readonly ModulePair[] = [
  { diffusers: 'group_norm', original: 'norm' },
  { diffusers: 'to_q', original: 'q' },
  { diffusers: 'to_k', original: 'k' },
  { diffusers: 'to_v', original: 'v' },
  { diffusers: 'to_out.0', original: 'proj_out' },
]

/** Names that diffusers' older folders use for the attention's layers. */
const olderAttentionParts: readonly ModulePair[] = [
  { diffusers: 'to_q', original: 'query' },
  { diffusers: 'to_k', original: 'key' },
  { diffusers: 'to_v', original: 'value' },
  { diffusers: 'to_out.0', original: 'proj_attn' },
]

/** Blocks of the decoder, which the original numbers from the inside. */
export function countVaeBlocks(holds: Holds): number {
  return Array.from({ length: most }, (_, i) => i).filter((i) =>
    [`encoder.down.${i}`, `encoder.down_blocks.${i}`, `decoder.up.${i}`, `decoder.up_blocks.${i}`].some(holds),
  ).length
}

/** The modules of a VAE under both names, without the original's `first_stage_model.`. */
export function vaeModules(blocks: number): readonly ModulePair[] {
  const same = ['encoder.conv_in', 'encoder.conv_out', 'decoder.conv_in', 'decoder.conv_out', 'quant_conv', 'post_quant_conv']
  const pairs: ModulePair[] = [
    // FLUX.2 keeps these two inside, and statistics of its latents beside; the usual names come after, since the last one wins.
    { diffusers: 'quant_conv', original: 'encoder.quant_conv' },
    { diffusers: 'post_quant_conv', original: 'decoder.post_quant_conv' },
    { diffusers: 'bn', original: 'bn' },
    ...same.map((name) => ({ diffusers: name, original: name })),
  ]
  for (const part of ['encoder', 'decoder']) {
    pairs.push({ diffusers: `${part}.conv_norm_out`, original: `${part}.norm_out` })
    for (const { diffusers, original } of attentionParts)
      pairs.push({ diffusers: `${part}.mid_block.attentions.0.${diffusers}`, original: `${part}.mid.attn_1.${original}` })
    for (const i of [0, 1]) pairs.push({ diffusers: `${part}.mid_block.resnets.${i}`, original: `${part}.mid.block_${i + 1}` })
  }
  const residual = (diffusers: string, original: string): void => {
    pairs.push({ diffusers: `${diffusers}.conv_shortcut`, original: `${original}.nin_shortcut` }, { diffusers, original })
  }
  for (let i = 0; i < blocks; i++) {
    const up = blocks - 1 - i
    for (let j = 0; j < most; j++) {
      residual(`encoder.down_blocks.${i}.resnets.${j}`, `encoder.down.${i}.block.${j}`)
      residual(`decoder.up_blocks.${i}.resnets.${j}`, `decoder.up.${up}.block.${j}`)
    }
    pairs.push({ diffusers: `encoder.down_blocks.${i}.downsamplers.0.conv`, original: `encoder.down.${i}.downsample.conv` })
    pairs.push({ diffusers: `decoder.up_blocks.${i}.upsamplers.0.conv`, original: `decoder.up.${up}.upsample.conv` })
  }
  return pairs
}

/** Diffusers' newer name for one of its older ones. */
export function renewVaeName(name: string): string {
  for (const { diffusers, original } of olderAttentionParts) {
    const older = `.attentions.0.${original}.`
    if (name.includes(older)) return name.replace(older, `.attentions.0.${diffusers}.`)
  }
  return name
}
