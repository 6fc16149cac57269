import type { Holds, ModulePair } from './module-names.ts'

/** Parts of a UNet's level, in execution order. */
interface Level {
  /** Per residual block, whether attention follows it. */
  readonly attends: readonly boolean[]
  /** Whether it ends with a change of size. */
  readonly resizes: boolean
}

/** Structure of a UNet or ControlNet. */
export interface UnetLayout {
  readonly down: readonly Level[]
  readonly up: readonly Level[]
}

/** Reads the layout from names as Stability's code writes them, without their common prefix. */
export function originalUnetLayout(holds: Holds): UnetLayout {
  return { down: originalLevels(holds, 'input_blocks', 1), up: originalLevels(holds, 'output_blocks', 0) }
}

/** Blocks are numbered through; a change of size ends a level. */
function originalLevels(holds: Holds, blocks: string, first: number): readonly Level[] {
  const levels: Level[] = []
  let attends: boolean[] = []
  for (let n = first; holds(`${blocks}.${n}`); n++) {
    const block = `${blocks}.${n}`
    const upsampler = [1, 2].find((part) => holds(`${block}.${part}.conv`))
    if (holds(`${block}.0.op`)) {
      levels.push({ attends, resizes: true })
      attends = []
      continue
    }
    attends.push(holds(`${block}.1`) && upsampler !== 1)
    if (upsampler === undefined) continue
    levels.push({ attends, resizes: true })
    attends = []
  }
  return attends.length === 0 ? levels : [...levels, { attends, resizes: false }]
}

/** Reads the layout from diffusers' names. */
export function diffusersUnetLayout(holds: Holds): UnetLayout {
  return { down: diffusersLevels(holds, 'down_blocks', 'downsamplers'), up: diffusersLevels(holds, 'up_blocks', 'upsamplers') }
}

function diffusersLevels(holds: Holds, blocks: string, samplers: string): readonly Level[] {
  const levels: Level[] = []
  for (let i = 0; holds(`${blocks}.${i}`); i++) {
    const attends: boolean[] = []
    for (let j = 0; holds(`${blocks}.${i}.resnets.${j}`); j++) attends.push(holds(`${blocks}.${i}.attentions.${j}`))
    levels.push({ attends, resizes: holds(`${blocks}.${i}.${samplers}`) })
  }
  return levels
}

const residualParts: readonly ModulePair[] = [
  { diffusers: 'norm1', original: 'in_layers.0' },
  { diffusers: 'conv1', original: 'in_layers.2' },
  { diffusers: 'time_emb_proj', original: 'emb_layers.1' },
  { diffusers: 'norm2', original: 'out_layers.0' },
  { diffusers: 'conv2', original: 'out_layers.3' },
  { diffusers: 'conv_shortcut', original: 'skip_connection' },
]

const singleParts: readonly ModulePair[] = [
  { diffusers: 'conv_in', original: 'input_blocks.0.0' },
  { diffusers: 'time_embedding.linear_1', original: 'time_embed.0' },
  { diffusers: 'time_embedding.linear_2', original: 'time_embed.2' },
  { diffusers: 'time_embedding.cond_proj', original: 'time_embed.cond_proj' },
  { diffusers: 'add_embedding.linear_1', original: 'label_emb.0.0' },
  { diffusers: 'add_embedding.linear_2', original: 'label_emb.0.2' },
  { diffusers: 'mid_block.attentions.0', original: 'middle_block.1' },
  { diffusers: 'conv_norm_out', original: 'out.0' },
  { diffusers: 'conv_out', original: 'out.2' },
]

/** The modules of a UNet under both names, without the original's common prefix. */
export function unetModules({ down, up }: UnetLayout): readonly ModulePair[] {
  const pairs: ModulePair[] = [...singleParts]
  const residual = (diffusers: string, original: string): void => {
    for (const part of residualParts) pairs.push({ diffusers: `${diffusers}.${part.diffusers}`, original: `${original}.${part.original}` })
  }
  residual('mid_block.resnets.0', 'middle_block.0')
  residual('mid_block.resnets.1', 'middle_block.2')
  let n = 1
  for (const [i, { attends, resizes }] of down.entries()) {
    for (const [j, attended] of attends.entries()) {
      residual(`down_blocks.${i}.resnets.${j}`, `input_blocks.${n}.0`)
      if (attended) pairs.push({ diffusers: `down_blocks.${i}.attentions.${j}`, original: `input_blocks.${n}.1` })
      n++
    }
    if (resizes) pairs.push({ diffusers: `down_blocks.${i}.downsamplers.0.conv`, original: `input_blocks.${n++}.0.op` })
  }
  n = 0
  for (const [i, { attends, resizes }] of up.entries()) {
    for (const [j, attended] of attends.entries()) {
      residual(`up_blocks.${i}.resnets.${j}`, `output_blocks.${n}.0`)
      if (attended) pairs.push({ diffusers: `up_blocks.${i}.attentions.${j}`, original: `output_blocks.${n}.1` })
      if (resizes && j === attends.length - 1)
        pairs.push({ diffusers: `up_blocks.${i}.upsamplers.0.conv`, original: `output_blocks.${n}.${attended ? 2 : 1}.conv` })
      n++
    }
  }
  return pairs
}

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
