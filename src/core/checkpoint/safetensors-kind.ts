import type { CheckpointFamily, Prediction, TransformerFamily, UnetFamily } from './checkpoint-family.ts'
import { neededParts, type PartSlot } from './model-parts.ts'
import type { SafetensorsHeader } from './safetensors-header.ts'
import { findUnreadable, refuseAdapterNumbers, refuseStorage } from './stored-weights.ts'
import { vectorTensors } from './text-widths.ts'
import { findTextEncoder, findTransformer, refuseVariant, type TextEncoderKind, textEncoderWidth, textWidthOf } from './transformer-file.ts'
import { readUpscalerLayout, type UpscalerLayout } from './upscaler-layout.ts'

/** Use of a safetensors file. */
export type SafetensorsKind =
  | {
      readonly kind: 'checkpoint'
      readonly family: UnetFamily
      /** Whether the UNet also takes a mask and a masked picture. */
      readonly inpainting: boolean
      /** Prediction type of the UNet; null = not in the file. */
      readonly prediction: Prediction | null
      /** Whether the noise schedule has zero terminal SNR, according to the file. */
      readonly zeroSnr: boolean
      /** Whether its VAE has an encoder. */
      readonly encodes: boolean
    }
  | { readonly kind: 'controlnet'; readonly family: CheckpointFamily; readonly layout: 'original' | 'diffusers' }
  | {
      readonly kind: 'transformer'
      readonly family: TransformerFamily
      /** Required components that are not in the file. */
      readonly lacks: readonly PartSlot[]
    }
  | { readonly kind: 'text-encoder'; readonly encoder: TextEncoderKind; readonly width: number | null }
  | { readonly kind: 'vae'; readonly layout: 'original' | 'diffusers'; readonly prefix: string; readonly channels: number }
  | { readonly kind: 'lora'; readonly family: CheckpointFamily | null }
  | { readonly kind: 'textual-inversion'; readonly family: CheckpointFamily | null }
  | { readonly kind: 'upscaler'; readonly layout: UpscalerLayout }
  | { readonly kind: 'unknown'; readonly reason: string }

/** Prefix of the UNet's tensors in single-file checkpoints. */
export const unetPrefix = 'model.diffusion_model.'
/** Prefix of the VAE's tensors in single-file checkpoints. */
export const vaePrefix = 'first_stage_model.'

/**
 * Determines the kind of a file from the names, shapes and types in its header; files with unreadable weights are unknown. The file name
 * distinguishes text encoders of equal shape.
 */
export function detectSafetensorsKind(header: SafetensorsHeader, file = ''): SafetensorsKind {
  const found = detectByNames(header, file)
  if (found.kind === 'unknown') return found
  const isAdapter = found.kind === 'lora' || found.kind === 'textual-inversion'
  const reason = isAdapter
    ? (refuseAdapterNumbers(header.tensors) ?? refuseEmpty(header, found.kind))
    : (refuseStorage(header.tensors) ?? (found.kind === 'checkpoint' ? refuseUnread(header) : refuseTransformer(header)))
  return reason === null ? found : { kind: 'unknown', reason }
}

/** A trigger word without vectors would vanish from prompts, also one that comes with a LoRA. */
function refuseEmpty(header: SafetensorsHeader, kind: 'lora' | 'textual-inversion'): string | null {
  const empty = vectorTensors(header, kind).find(({ shape }) => shape.length === 0 || shape.includes(0))
  return empty === undefined ? null : `holds a textual inversion without vectors in "${empty.name}"`
}

function refuseTransformer({ tensors }: SafetensorsHeader): string | null {
  const transformer = findTransformer((name) => tensors.has(name))
  return transformer && refuseVariant(transformer, (name) => tensors.get(name)?.shape)
}

/** Names of a Stable Diffusion UNet's tensors. */
const unetTensors = /^(?:input_blocks|middle_block|output_blocks|time_embed|label_emb|out)\..*\.(?:weight|bias)$/u

/** Refuses a UNet with unknown tensors: ignoring them would change its pictures. */
function refuseUnread({ tensors }: SafetensorsHeader): string | null {
  const inside = [...tensors.keys()].flatMap((name) => (name.startsWith(unetPrefix) ? [name.slice(unetPrefix.length)] : []))
  const unread = findUnreadable(inside, unetTensors)
  return unread === null ? null : `holds a tensor "${unetPrefix}${unread}" that Sepia does not know`
}

function detectByNames(header: SafetensorsHeader, file: string): SafetensorsKind {
  const { tensors } = header
  const shape = (name: string): readonly number[] | undefined => tensors.get(name)?.shape
  const names = [...tensors.keys()]
  const holds = (prefix: string): boolean => names.some((name) => name.startsWith(prefix))
  const isAdapter = /\.(?:hada_|lokr_|oft_|dora_scale|diff$|on_input$)/u
  if (
    holds('lora_') ||
    names.some((name) => isAdapter.test(name)) ||
    names.some((name) => /\.(?:lora_[AB]|lora_down|lora_up|lora\.down|lora\.up)\b|_lora[12]?\.(?:down|up)\./u.test(name))
  )
    return { kind: 'lora', family: loraFamily(header) }
  const transformer = findTransformer((name) => tensors.has(name))
  if (transformer !== null) {
    const { family } = transformer
    const width = textWidthOf(transformer, shape)
    const lacks = neededParts(family).filter(({ inside }) => !inside.some(holds))
    return { kind: 'transformer', family, lacks: lacks.map((slot) => (readsAt(slot, width) ? { ...slot, width } : slot)) }
  }
  const encoder = findTextEncoder(shape, file)
  if (encoder !== null) return { kind: 'text-encoder', encoder, width: textEncoderWidth(shape) }
  const firstConvolution = shape(`${unetPrefix}input_blocks.0.0.weight`)
  if (firstConvolution !== undefined) return describeCheckpoint(firstConvolution[1] ?? 0, { holds, header })
  if (holds('control_model.input_hint_block.') || (holds('input_hint_block.') && holds('zero_convs.')))
    return { kind: 'controlnet', family: controlnetFamily(holds, shape), layout: 'original' }
  if (holds('controlnet_cond_embedding.')) {
    if (holds('control_add_embedding.') || holds('task_embedding'))
      return { kind: 'unknown', reason: 'is a union ControlNet, which Sepia does not support; use one for a single kind of image' }
    return { kind: 'controlnet', family: controlnetFamily(holds, shape), layout: 'diffusers' }
  }
  for (const prefix of ['', vaePrefix]) {
    if (!holds(`${prefix}decoder.conv_in.`)) continue
    const layout = holds(`${prefix}decoder.mid_block.`) ? 'diffusers' : 'original'
    return { kind: 'vae', prefix, layout, channels: shape(`${prefix}decoder.conv_in.weight`)?.[1] ?? 0 }
  }
  const upscaler = readUpscalerLayout(header)
  if (typeof upscaler === 'string') return { kind: 'unknown', reason: upscaler }
  if (upscaler !== null) return { kind: 'upscaler', layout: upscaler }
  const embedding = embeddingFamily(header)
  if (embedding !== undefined) return { kind: 'textual-inversion', family: embedding }
  return { kind: 'unknown', reason: unknownReason(holds) }
}

/** Whether an encoder's output has the width the transformer expects. */
function readsAt({ part }: PartSlot, width: number | undefined): width is number {
  return width !== undefined && (part === 't5' || part === 'qwen3')
}

function describeCheckpoint(
  channels: number,
  { holds, header }: { readonly holds: (prefix: string) => boolean; readonly header: SafetensorsHeader },
): SafetensorsKind {
  const { tensors, metadata } = header
  const unknown = (reason: string): SafetensorsKind => ({ kind: 'unknown', reason })
  const family = ((): UnetFamily | null => {
    if (holds(`${unetPrefix}label_emb.`)) {
      if (holds('conditioner.embedders.0.model.')) return 'sdxl-refiner'
      return holds('conditioner.embedders.0.transformer.') && holds('conditioner.embedders.1.model.') ? 'sdxl' : null
    }
    if (holds('cond_stage_model.model.')) return 'sd2'
    return holds('cond_stage_model.transformer.') || holds('cond_stage_model.text_model.') ? 'sd15' : null
  })()
  if (family === null) return unknown('holds a UNet without text encoders; use a full checkpoint')
  if (!holds(`${vaePrefix}decoder.`)) return unknown('holds no VAE; use a full checkpoint')
  if (channels !== 4 && channels !== 9)
    return unknown(`has ${channels} input channels; Sepia supports UNets with 4 and inpainting UNets with 9`)
  if (tensors.has('edm_mean') || tensors.has('edm_vpred.sigma_max'))
    return unknown('was trained with an EDM noise schedule (Playground 2.5, CosXL), which Sepia does not support')
  return {
    kind: 'checkpoint',
    family,
    inpainting: channels === 9,
    prediction: tensors.has('v_pred') ? 'v_prediction' : readPrediction(metadata),
    zeroSnr: tensors.has('ztsnr') || isTrue(metadata.get('ss_zero_terminal_snr')),
    encodes: holds(`${vaePrefix}encoder.`),
  }
}

/**
 * The prediction type in the metadata, by the ModelSpec or as trainers (kohya's) write it.
 *
 * @see https://github.com/Stability-AI/ModelSpec
 */
function readPrediction(metadata: SafetensorsHeader['metadata']): Prediction | null {
  const stated = (metadata.get('modelspec.prediction_type') ?? metadata.get('prediction_type') ?? '').toLowerCase()
  if (/^\W*v(?:[-_ ]?pred(?:iction)?|elocity)?\W*$/u.test(stated)) return 'v_prediction'
  if (/^\W*eps(?:ilon)?\W*$/u.test(stated)) return 'epsilon'
  return isTrue(metadata.get('ss_v_parameterization')) ? 'v_prediction' : null
}

/** Python's spelling, and that of JSON. */
function isTrue(stated: string | undefined): boolean {
  return stated?.toLowerCase() === 'true'
}

function controlnetFamily(holds: (prefix: string) => boolean, shape: (name: string) => readonly number[] | undefined): CheckpointFamily {
  if (holds('add_embedding.') || holds('control_model.label_emb.') || holds('label_emb.')) return 'sdxl'
  const projection =
    shape('down_blocks.0.attentions.0.proj_in.weight') ??
    shape('control_model.input_blocks.1.1.proj_in.weight') ??
    shape('input_blocks.1.1.proj_in.weight')
  return projection?.length === 2 ? 'sd2' : 'sd15'
}

/** Width of the text input of each family's UNet. */
const contextWidths: readonly (readonly [number, CheckpointFamily])[] = [
  [2048, 'sdxl'],
  [1280, 'sdxl-refiner'],
  [1024, 'sd2'],
  [768, 'sd15'],
]

function loraFamily({ tensors, metadata }: SafetensorsHeader): CheckpointFamily | null {
  const base = `${metadata.get('ss_base_model_version') ?? ''} ${metadata.get('modelspec.architecture') ?? ''}`
  if (/sdxl|stable-diffusion-xl/u.test(base)) return 'sdxl'
  if (/sd_v2|stable-diffusion-v2/u.test(base)) return 'sd2'
  if (/sd_v1|stable-diffusion-v1/u.test(base)) return 'sd15'
  // A VAE of a transformer may fit several families; the engine rejects one that does not fit.
  const ofTransformers =
    /double_blocks|single_(?:transformer_)?blocks|joint_blocks|transformer_blocks\.\d+\.attn\.|_refiner|(?:^|[._])layers[._]\d+[._](?:attention|feed_forward)/u
  if ([...tensors.keys()].some((name) => ofTransformers.test(name) && !name.includes('text_model'))) return null
  for (const [name, { shape }] of tensors) {
    if (name.startsWith('lora_te2_') || name.startsWith('text_encoder_2.')) return 'sdxl'
    if (!/attn2[._]to_k.*(?:lora_down|lora_A|lora\.down|lora_linear_layer\.down)/u.test(name)) continue
    const found = contextWidths.find(([width]) => width === shape[1])
    if (found !== undefined) return found[1]
  }
  return null
}

/** undefined = not a textual inversion; null = fits every encoder of its width. */
function embeddingFamily({ tensors }: SafetensorsHeader): CheckpointFamily | null | undefined {
  if (tensors.has('clip_l') && tensors.has('clip_g')) return 'sdxl'
  const [only] = [...tensors.values()]
  if (tensors.size !== 1 || only === undefined || only.shape.length === 0 || only.shape.length > 2) return undefined
  const width = only.shape.at(-1)
  return contextWidths.find(([known]) => known === width && known < 1280)?.[1] ?? null
}

function unknownReason(holds: (prefix: string) => boolean): string {
  if (holds(`${unetPrefix}double_blocks.`) || holds('double_blocks.')) return 'is a FLUX model of a kind that Sepia does not support'
  return 'is not a file that Sepia supports: a model of SDXL, Stable Diffusion 1.5, 2 or 3, FLUX.1 or Z-Image, a text encoder, a LoRA, a textual inversion, a VAE, a ControlNet or an upscaler (ESRGAN)'
}
