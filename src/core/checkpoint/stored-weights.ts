import { blockTypes } from '../gguf/ggml-types.ts'
import type { StoredType, TensorPlace } from './safetensors-header.ts'

type Tensors = ReadonlyMap<string, Pick<TensorPlace, 'type' | 'shape'>>

const plainTypes: readonly StoredType[] = ['F64', 'F32', 'F16', 'BF16']
/** Types that hold plain numbers, possibly with a scale. */
const numberTypes: ReadonlySet<StoredType> = new Set([...plainTypes, 'F8_E4M3', 'F8_E5M2', ...blockTypes])
/** Suffix of scales: ComfyUI's older name and the one shared with vLLM. */
const scaleEnding = /\.(?:scale_weight|weight_scale)$/u
/** Tensors without effect on a drawing: scales of activations (used only for fp8 arithmetic), markers, and position counters. */
const withoutEffect = /(?:^|\.)(?:scale_input|input_scale|scaled_fp8|comfy_quant|position_ids|logit_scale)$/u
const wholeMark = /(?<=^|\.)scaled_fp8$/u
/** Remains of training beside a network. */
const leftovers = /^model_ema\b|(?:^|\.)loss\./u
const foreignKinds: readonly (readonly [RegExp, string])[] = [
  [/\.(?:absmax|nested_absmax|quant_map|nested_quant_map)$|\.quant_state\b/u, 'NF4 or FP4 (bitsandbytes)'],
  [/\.(?:SCB|weight_format)$/u, 'int8 (bitsandbytes)'],
  [/\.weight_scale_2$/u, 'NVFP4'],
  [/\.weight_scale_inv$/u, 'fp8 with scales of blocks'],
  [/\.(?:qweight|qzeros|g_idx|wscales|wzeros|smooth_factor(?:_orig)?|wcscales|wtscale)$/u, 'GPTQ, AWQ or SVDQuant'],
]

/** Name of the weight that a tensor scales; null = it is not a scale. */
export function scaledName(name: string): string | null {
  return scaleEnding.test(name) ? name.replace(scaleEnding, '.weight') : null
}

/** Whether a tensor has no effect on a drawing. */
export function hasNoEffect(name: string): boolean {
  return withoutEffect.test(name) || leftovers.test(name)
}

/**
 * Why the weights cannot be read, completing a sentence that begins with the file's name; null = they can. The only tensors that may modify
 * others are scales, one per tensor or one per row.
 */
export function refuseStorage(tensors: Tensors): string | null {
  for (const [name, { type, shape }] of tensors) {
    if (leftovers.test(name)) continue
    const kind = foreignKinds.find(([pattern]) => pattern.test(name))?.[1]
    if (kind !== undefined) return unreadable(`as ${kind} ("${name}")`)
    if (/\.(?:weight|bias)$/u.test(name) && !numberTypes.has(type)) return unreadable(`as ${type} ("${name}")`)
    const scaled = scaledName(name)
    if (scaled === null) continue
    const weight = tensors.get(scaled)
    if (weight === undefined) return `holds a scale "${name}" without its weight`
    const count = shape.reduce((product, size) => product * size, 1)
    if (count !== 1 && count !== weight.shape[0]) return unreadable(`with scales of blocks ("${name}")`)
  }
  const lacking = unscaledName(tensors)
  return lacking === null ? null : `lacks the scale of "${lacking}", which is stored in fp8; copy it again or use another file`
}

/** Why the numbers of a LoRA or textual inversion cannot be read, completing a sentence that begins with the file's name; null = they can. */
export function refuseAdapterNumbers(tensors: Tensors): string | null {
  for (const [name, { type }] of tensors) {
    // diffusers' conversion to kohya's names writes the rank as alpha, a PyTorch integer.
    const isWholeAlpha = type === 'I64' && name.endsWith('.alpha')
    if (!plainTypes.includes(type) && !isWholeAlpha) return `holds "${name}" of type ${type}, not of floating point numbers`
  }
  return null
}

/** A matrix in fp8 that is marked as scaled, by a tensor beside it or for the whole network, but has no scale. */
function unscaledName(tensors: Tensors): string | null {
  const marked = [...tensors.keys()].filter((name) => wholeMark.test(name)).map((name) => name.replace(wholeMark, ''))
  for (const [name, { type, shape }] of tensors) {
    if (!name.endsWith('.weight') || !type.startsWith('F8_')) continue
    const module = name.slice(0, -'.weight'.length)
    // Embedding tables are unscaled in files that are marked as a whole.
    const isMatrix = shape.length === 2 && !/(?:^|\.)(?:shared|embed_tokens|token_embedding)$/u.test(module)
    const isScaled = tensors.has(`${module}.comfy_quant`) || (isMatrix && marked.some((prefix) => name.startsWith(prefix)))
    if (isScaled && !tensors.has(`${module}.scale_weight`) && !tensors.has(`${module}.weight_scale`)) return name
  }
  return null
}

/** Finds a tensor that loading would ignore: its name is neither that of a weight nor of a bias. */
export function findUnreadable(names: Iterable<string>, known: RegExp): string | null {
  for (const name of names) if (!known.test(name) && scaledName(name) === null && !hasNoEffect(name)) return name
  return null
}

function unreadable(how: string): string {
  return `stores its weights ${how}, which Sepia cannot read; use a file in F16, BF16 or fp8 (scaled or not)`
}
