import { type CheckpointFamily, isTransformerFamily, type UnetFamily } from './checkpoint-family.ts'
import type { SafetensorsHeader } from './safetensors-header.ts'

type TextEncoder = 'first' | 'second'

/** Widths of a model's token vectors for each text encoder, or of an asset's vectors for them; absent = none. */
export type TextWidths = Readonly<Partial<Record<TextEncoder, number>>>

const encoders: Readonly<Record<UnetFamily, readonly TextEncoder[]>> = {
  sd15: ['first'],
  sd2: ['first'],
  sdxl: ['first', 'second'],
  'sdxl-refiner': ['second'],
}

/** The widths of a UNet's text encoders; undefined = one of them is unknown. */
export function completeWidths(family: CheckpointFamily, widths: TextWidths): TextWidths | undefined {
  return !isTransformerFamily(family) && encoders[family].every((encoder) => widths[encoder] !== undefined) ? widths : undefined
}

const tokenTable = /^(?:cond_stage_model|conditioner\.embedders\.([01]))\.(?:.*\.)?token_embedding\.weight$/u

/** The widths of the text encoders in a single file; undefined = unknown. */
export function readTextWidths({ tensors }: Pick<SafetensorsHeader, 'tensors'>, family: CheckpointFamily): TextWidths | undefined {
  let widths: TextWidths = {}
  for (const [name, { shape }] of tensors) {
    const [found, embedder] = tokenTable.exec(name) ?? []
    if (found === undefined || shape[1] === undefined) continue
    widths = { ...widths, [embedder === '1' || family === 'sdxl-refiner' ? 'second' : 'first']: shape[1] }
  }
  return completeWidths(family, widths)
}

/** Vectors of a textual inversion inside a LoRA, with its trigger word: `bundle_emb.word.clip_l`, or `bundle_emb.word.string_to_param.*`. */
export const bundledVectors = /^bundle_emb\.(.+)\.(clip_l|clip_g|emb_params|string_to_param\.\*)$/u

/** The tensors of a textual inversion, or of those inside a LoRA, each with the part that names its text encoder. */
export function vectorTensors(
  { tensors }: Pick<SafetensorsHeader, 'tensors'>,
  kind: 'lora' | 'textual-inversion',
): readonly { readonly name: string; readonly part: string; readonly shape: readonly number[] }[] {
  const isPair = tensors.has('clip_l') || tensors.has('clip_g')
  return [...tensors].flatMap(([name, { shape }]) => {
    const part = kind === 'lora' ? bundledVectors.exec(name)?.[2] : isPair && !/^clip_[lg]$/u.test(name) ? undefined : name
    return part === undefined ? [] : [{ name, part, shape }]
  })
}

/** The widths of an asset's vectors according to its header; undefined = it has none. */
export function readVectorWidths(header: Pick<SafetensorsHeader, 'tensors'>, kind: 'lora' | 'textual-inversion'): TextWidths | undefined {
  let widths: TextWidths = {}
  for (const { part, shape } of vectorTensors(header, kind)) {
    const encoder = part === 'clip_g' ? 'second' : 'first'
    widths = { ...(shape.at(-1) !== undefined && { [encoder]: shape.at(-1) }), ...widths }
  }
  return Object.keys(widths).length === 0 ? undefined : widths
}

/** An asset's vectors and a text encoder that does not take them. */
export interface WidthFault {
  readonly encoder: TextEncoder
  readonly vectors: number
  /** Width of the model's encoder; undefined = it has no such encoder. */
  readonly model: number | undefined
}

/** Why an asset's vectors do not fit a model; undefined = they fit, or it is unknown. */
export function findWidthFault(vectors: TextWidths | undefined, model: TextWidths | undefined): WidthFault | undefined {
  if (vectors === undefined || model === undefined) return undefined
  const faults = (['first', 'second'] as const).flatMap((encoder): readonly WidthFault[] => {
    const [own, width] = [vectors[encoder], model[encoder]]
    return own === undefined || own === width ? [] : [{ encoder, vectors: own, model: width }]
  })
  // A model reads the vectors for its encoders and ignores others, unless it would ignore the whole word.
  const reads = Object.keys(vectors).some((encoder) => encoder in model)
  return faults.find((fault) => fault.model !== undefined || !reads)
}
