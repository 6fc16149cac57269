import { type CheckpointFamily, familyNames, type TransformerFamily } from './checkpoint-family.ts'
import type { ComponentName } from './model-files.ts'
import { familyTexts, type TextEncoderKind } from './transformer-file.ts'

/** What a model of several files may be put together from. */
export type ModelPart = TextEncoderKind | 'vae' | 'tokenizer-t5' | 'tokenizer-qwen3'

/** Parts as people find them. */
const partNames: Readonly<Record<ModelPart, string>> = {
  'clip-l': 'the text encoder CLIP-L (clip_l.safetensors of comfyanonymous/flux_text_encoders)',
  'clip-g': 'the text encoder CLIP-G (clip_g.safetensors)',
  t5: 'the text encoder T5 XXL (such as t5xxl_fp16.safetensors of comfyanonymous/flux_text_encoders)',
  qwen3:
    'the text encoder Qwen3 (4B for Z-Image and FLUX.2 klein 4B, 8B for klein 9B; such as qwen_3_4b.safetensors of Comfy-Org/z_image_turbo)',
  vae: 'its VAE (ae.safetensors of Comfy-Org/z_image_turbo for FLUX.1 and Z-Image, flux2-vae.safetensors for FLUX.2)',
  'tokenizer-t5': 'the tokenizer of T5: spiece.model of google/t5-v1_1-xxl in a folder tokenizers/t5',
  'tokenizer-qwen3': 'the tokenizer of Qwen3: tokenizer.json of Qwen/Qwen3-4B in a folder tokenizers/qwen3',
}

/** A part that a family needs. */
export interface PartSlot {
  readonly part: ModelPart
  readonly component: ComponentName
  /** What the names of its tensors begin with in files that hold everything; none for tokenizers. */
  readonly inside: readonly string[]
  readonly optional: boolean
  /** How wide the hidden states of a text encoder are that the transformer reads, or how many channels its VAE has; absent = any. */
  readonly width?: number
  /** The part that this one belongs to: a tokenizer is of use only with its encoder. */
  readonly of: ModelPart | null
}

/** Bytes of the weights of an image model's parts, which are needed one after the other. */
export interface PartSizes {
  /** Of all its text encoders. */
  readonly texts: number
  readonly transformer: number
  readonly vae: number
}

/** The parts that models of a family need besides their transformer. */
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

/** Why a model cannot be used that lacks parts, as the end of a sentence that begins with its name. */
export function lackingReason(family: CheckpointFamily, parts: readonly ModelPart[]): string {
  const listed = parts.map((part) => partNames[part]).join('; ')
  return `is a model of ${familyNames[family]} without all its parts: put these beside it or into folders beside its own: ${listed}`
}
