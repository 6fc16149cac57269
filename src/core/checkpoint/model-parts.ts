import { familyNames, type TransformerFamily } from './checkpoint-family.ts'
import type { ComponentName } from './model-files.ts'
import { familyTexts, type TextEncoderKind } from './transformer-file.ts'

/** Kinds of components of a model. */
export type ModelPart = TextEncoderKind | 'vae' | 'tokenizer-t5' | 'tokenizer-qwen3'

/** Descriptions of the components, with files to download. */
const partNames: Readonly<Record<Exclude<ModelPart, 'vae'>, string>> = {
  'clip-l': 'the text encoder CLIP-L (clip_l.safetensors of comfyanonymous/flux_text_encoders)',
  'clip-g': 'the text encoder CLIP-G (text_encoders/clip_g.safetensors of Comfy-Org/stable-diffusion-3.5-fp8)',
  t5: 'the text encoder T5 XXL (such as t5xxl_fp16.safetensors of comfyanonymous/flux_text_encoders)',
  qwen3:
    'the text encoder Qwen3 (4B for Z-Image and FLUX.2 klein 4B, 8B for klein 9B; such as qwen_3_4b.safetensors of Comfy-Org/z_image_turbo)',
  'tokenizer-t5': 'the tokenizer of T5: spiece.model of google/t5-v1_1-xxl in a folder tokenizers/t5',
  'tokenizer-qwen3': 'the tokenizer of Qwen3: tokenizer.json of Qwen/Qwen3-4B in a folder tokenizers/qwen3',
}

/** VAEs of transformers, with files to download. */
const fluxVae = 'ae.safetensors of Comfy-Org/z_image_turbo'
const vaeFiles: Readonly<Record<TransformerFamily, string>> = {
  'flux-dev': fluxVae,
  'flux-schnell': fluxVae,
  'z-image': fluxVae,
  'flux2-klein': 'flux2-vae.safetensors of Comfy-Org/flux2-dev',
  sd3: 'vae/diffusion_pytorch_model.safetensors of stabilityai/stable-diffusion-3.5-medium',
}

/** A component required by a family. */
export interface PartSlot {
  readonly part: ModelPart
  readonly component: ComponentName
  /** Prefixes of its tensor names in single-file models; none for tokenizers. */
  readonly inside: readonly string[]
  readonly optional: boolean
  /** Required width of a text encoder's hidden states, or number of a VAE's channels; absent = any. */
  readonly width?: number
  /** The component it belongs to: a tokenizer is only used with its encoder. */
  readonly of: ModelPart | null
}

/** Sizes of an image model's components, which are used one after the other, in bytes. */
export interface PartSizes {
  /** Total of its text encoders. */
  readonly texts: number
  readonly transformer: number
  readonly vae: number
}

/** The components a family requires besides the transformer. */
export function neededParts(family: TransformerFamily): readonly PartSlot[] {
  const texts = familyTexts[family].flatMap(({ kind, component, tokenizer, inside, optional }): readonly PartSlot[] => {
    const encoder: PartSlot = { part: kind, component, inside: [inside], optional, of: null }
    if (tokenizer === null) return [encoder]
    const part = kind === 't5' ? 'tokenizer-t5' : 'tokenizer-qwen3'
    return [encoder, { part, component: tokenizer, inside: [], optional, of: kind }]
  })
  const width = family === 'flux2-klein' ? 32 : 16
  return [...texts, { part: 'vae', component: 'vae', inside: ['first_stage_model.', 'vae.'], width, optional: false, of: null }]
}

/** The reason why a request cannot name a component, completing a sentence that begins with its name. */
export function unnamedReason(part: ModelPart): string {
  const kind = part === 'vae' ? 'a VAE' : 'a text encoder'
  return `is ${kind} for FLUX, Z-Image or Stable Diffusion 3; such models in its folder use it, and requests cannot name it`
}

/** The reason why a model with missing components cannot be used, completing a sentence that begins with its name. */
export function lackingReason(
  family: TransformerFamily,
  parts: readonly ModelPart[],
  remedy = 'put these beside it or into folders beside its own',
): string {
  const listed = parts.map((part) => (part === 'vae' ? `its VAE (${vaeFiles[family]})` : partNames[part])).join('; ')
  return `is a model of ${familyNames[family]} without all its parts; ${remedy}: ${listed}`
}
