import type { ModulePair } from './module-names.ts'
import { type UnetLayout, unetModules } from './unet-names.ts'

/** Convolutions that shrink the control picture to latent size, besides the first and the last. */
const hintConvolutions = 6

/** The modules of a ControlNet under both names, without the original's `control_model.`. */
export function controlnetModules(layout: UnetLayout): readonly ModulePair[] {
  const skips = 1 + layout.down.reduce((total, { attends, resizes }) => total + attends.length + (resizes ? 1 : 0), 0)
  const last = hintConvolutions + 1
  return [
    ...unetModules(layout),
    { diffusers: 'controlnet_cond_embedding.conv_in', original: 'input_hint_block.0' },
    ...Array.from({ length: hintConvolutions }, (_, i) => ({
      diffusers: `controlnet_cond_embedding.blocks.${i}`,
      original: `input_hint_block.${(i + 1) * 2}`,
    })),
    { diffusers: 'controlnet_cond_embedding.conv_out', original: `input_hint_block.${last * 2}` },
    ...Array.from({ length: skips }, (_, i) => ({ diffusers: `controlnet_down_blocks.${i}`, original: `zero_convs.${i}.0` })),
    { diffusers: 'controlnet_mid_block', original: 'middle_block_out.0' },
  ]
}
