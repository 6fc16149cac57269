import { cacheBytesAs, cacheMemoryBeside, chooseContextLength, padCells } from '../gguf/context-length.ts'
import type { ImageModelDescriptor, ModelDescriptor, TextModelDescriptor } from '../model.ts'
import { bytesPerPixel, engineBytes, planParts } from './image-parts.ts'

/** Tokens that llama.cpp evaluates at once. */
const batchTokens = 512
/** The fewest tokens per sequence with which a language model is loaded. */
const leastTokens = 256
/**
 * What the attention of an exported graph takes of a picture of 1024 × 1024, at batch two: it keeps a number for every pair of places, so that
 * it grows with the square of the pixels. Graphs written for checkpoints do not.
 */
const exportedAttentionBytes = 2_700_000_000
/** Exported graphs are kept with parts that the runtime has folded. */
const exportGrowth = 1.3

export interface MemoryFacts {
  /** Sequences at once per text model. */
  readonly textSlots: number
  /** Of the machine, the container or the setting `memory`, whichever is least. */
  readonly machineBytes: number
  /** Of the GPU that models compute on: 0 = there is none, Infinity = unknown. */
  readonly gpuBytes: number
}

/** Of a picture, in pixels. */
interface PixelSize {
  readonly width: number
  readonly height: number
}

/** What a model is going to take, before it has been loaded once. */
export interface MemoryEstimate {
  readonly expected: MemoryNeed
  /** Below this it cannot be loaded at all. */
  readonly least: MemoryNeed
}

/** Bytes that a model is going to take, and the least it can do with; nothing where it runs elsewhere. */
export function estimateMemory(descriptor: ModelDescriptor, facts: MemoryFacts): MemoryEstimate {
  if (descriptor.bytes === 0) return { expected: noMemory, least: noMemory }
  return descriptor.kind === 'text' ? estimateText(descriptor, facts) : estimateImages(descriptor, facts)
}

/**
 * Bytes that a model is going to take while it draws a picture of a size, the model itself included; for sizes up to its own what it is expected
 * to take anyway.
 */
export function estimateDrawing(descriptor: ImageModelDescriptor, size: PixelSize, facts: ImageFacts): MemoryNeed {
  const { expected } = estimateImages(descriptor, facts)
  const { native, draws, format, bytes } = descriptor
  const [own, wanted] = [native.width * native.height, size.width * size.height]
  if (draws === 'native' || format === 'upscaler' || bytes === 0 || wanted <= own) return expected
  const squares = (pixels: number): number => (pixels / 1024 ** 2) ** 2
  const attention = format === 'onnx-sdxl' ? exportedAttentionBytes * (squares(wanted) - squares(own)) : 0
  const more = (wanted - own) * bytesPerPixel + attention
  return addMemory(expected, facts.gpuBytes === 0 ? { processorBytes: more, gpuBytes: 0 } : { processorBytes: 0, gpuBytes: more })
}

/** What the last load took replaces what was expected; nothing that was loaded needs more than it took. */
export function correctEstimate({ least }: MemoryEstimate, measured: MemoryNeed): MemoryEstimate {
  return { expected: measured, least: leastMemory(least, measured) }
}

/** Layers that do not fit on a GPU stay on the processor. */
function estimateText(descriptor: TextModelDescriptor, facts: MemoryFacts): MemoryEstimate {
  const { bytes, weights, contextLength, trainedLength, cacheType = 'f16' } = descriptor
  const place = (movable: number): MemoryNeed => {
    const gpuBytes = Math.min(movable, facts.gpuBytes)
    return { processorBytes: engineBytes + movable - gpuBytes, gpuBytes }
  }
  if (weights === undefined) return { expected: place(Math.ceil(bytes * exportGrowth)), least: place(bytes) }
  const { vocabularySize } = weights
  const cacheBytesPerToken = cacheBytesAs(cacheType, weights.cacheBytesPerToken)
  const { textSlots, machineBytes } = facts
  const length = chooseContextLength(
    { wanted: contextLength, trained: trainedLength ?? 4096 },
    { bytesPerToken: cacheBytesPerToken, sequences: textSlots, memory: cacheMemoryBeside({ weightBytes: bytes, machineBytes }) },
  )
  const caches = (tokens: number): number => padCells(tokens) * textSlots * cacheBytesPerToken
  const logits = batchTokens * vocabularySize * 4
  return { expected: place(bytes + caches(length) + logits), least: place(bytes + caches(Math.min(length, leastTokens))) }
}

type ImageFacts = Pick<MemoryFacts, 'machineBytes' | 'gpuBytes'>

/** A GPU holds the whole of an image model or nothing; on the processor its parts may come in turn. */
function estimateImages(descriptor: ImageModelDescriptor, { machineBytes, gpuBytes }: ImageFacts): MemoryEstimate {
  const { bytes, format, native } = descriptor
  if (gpuBytes === 0 && descriptor.checkpoint?.parts !== undefined) {
    const { peak, least } = planParts(descriptor, machineBytes)
    return { expected: { processorBytes: peak, gpuBytes: 0 }, least: { processorBytes: least, gpuBytes: 0 } }
  }
  const weights = format === 'onnx-sdxl' ? Math.ceil(bytes * exportGrowth) : bytes
  const drawn = weights + native.width * native.height * bytesPerPixel
  const place = (movable: number): MemoryNeed =>
    gpuBytes === 0 ? { processorBytes: engineBytes + movable, gpuBytes: 0 } : { processorBytes: engineBytes, gpuBytes: movable }
  return { expected: place(drawn), least: place(bytes) }
}

/** Bytes of the processor's memory and of the GPU's; each has a budget of its own. */
export interface MemoryNeed {
  readonly processorBytes: number
  readonly gpuBytes: number
}

export const noMemory: MemoryNeed = { processorBytes: 0, gpuBytes: 0 }

/** The sum of each kind. */
export function addMemory(a: MemoryNeed, b: MemoryNeed): MemoryNeed {
  return { processorBytes: a.processorBytes + b.processorBytes, gpuBytes: a.gpuBytes + b.gpuBytes }
}

/** What `a` takes beyond `b` of each kind; below 0 where it takes less. */
export function beyondMemory(a: MemoryNeed, b: MemoryNeed): MemoryNeed {
  return { processorBytes: a.processorBytes - b.processorBytes, gpuBytes: a.gpuBytes - b.gpuBytes }
}

/** The lesser of each kind. */
export function leastMemory(a: MemoryNeed, b: MemoryNeed): MemoryNeed {
  return { processorBytes: Math.min(a.processorBytes, b.processorBytes), gpuBytes: Math.min(a.gpuBytes, b.gpuBytes) }
}

/** Whether no kind is taken beyond its budget. */
export function fitsMemory(need: MemoryNeed, budget: MemoryNeed): boolean {
  return need.processorBytes <= budget.processorBytes && need.gpuBytes <= budget.gpuBytes
}

/** Bits that llama.cpp's usual quantizations take per weight, measured over whole files of 7 to 8 B parameters; the best first. */
const bitsPerWeight = [
  ['Q8_0', 8.5],
  ['Q6_K', 6.6],
  ['Q5_K_M', 5.7],
  ['Q4_K_M', 4.9],
  ['Q3_K_M', 4],
  ['Q2_K', 3.2],
] as const

/** The best quantization of a language model whose weights fit into so many bytes; null = none does. */
export function findFittingQuantization(parameters: number, bytes: number): { readonly name: string; readonly bytes: number } | null {
  for (const [name, bits] of bitsPerWeight) {
    const size = Math.ceil((parameters * bits) / 8)
    if (size <= bytes) return { name, bytes: size }
  }
  return null
}
