import type { ModulePair } from './module-names.ts'

const layerParts: readonly ModulePair[] = [
  { diffusers: 'layer_norm1', original: 'ln_1' },
  { diffusers: 'layer_norm2', original: 'ln_2' },
  { diffusers: 'self_attn.out_proj', original: 'attn.out_proj' },
  { diffusers: 'mlp.fc1', original: 'mlp.c_fc' },
  { diffusers: 'mlp.fc2', original: 'mlp.c_proj' },
]

/** OpenCLIP stacks the three attention projections as rows of one weight, in this order. */
export const stackedProjections = ['q_proj', 'k_proj', 'v_proj'] as const

/** The modules of an OpenCLIP text encoder under both names; `attn.in_proj_…` stands for three and is not among them. */
export function openClipModules(layers: number): readonly ModulePair[] {
  const pairs: ModulePair[] = [
    { diffusers: 'text_model.embeddings.token_embedding', original: 'token_embedding' },
    { diffusers: 'text_model.embeddings.position_embedding.weight', original: 'positional_embedding' },
    { diffusers: 'text_model.final_layer_norm', original: 'ln_final' },
    { diffusers: 'text_projection.weight', original: 'text_projection' },
  ]
  for (let i = 0; i < layers; i++)
    for (const { diffusers, original } of layerParts)
      pairs.push({ diffusers: `text_model.encoder.layers.${i}.${diffusers}`, original: `transformer.resblocks.${i}.${original}` })
  return pairs
}
