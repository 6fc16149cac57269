import { cacheBytesAs, cacheMemoryBeside, chooseContextLength, padCells } from '../gguf/context-length.ts'
import type { ImageRequest } from '../image-generation.ts'
import type { ImageModelDescriptor, ModelDescriptor, TextModelDescriptor } from '../model.ts'
import { bytesPerPixel, bytesPerReferencePixel, engineBytes, planParts } from './image-parts.ts'

/** Tokens per batch of llama.cpp. */
const batchTokens = 512
/** Minimum context per sequence, in tokens. */
const leastTokens = 256
/**
 * Memory for attention in an exported graph for 1024 × 1024 pixels at batch size two. It grows with the square of the pixels, since the
 * graph stores the whole attention matrix. Graphs built for checkpoints do not.
 */
const exportedAttentionBytes = 2_700_000_000
/** The runtime keeps exported graphs together with constant-folded copies of some weights. */
const exportGrowth = 1.3

export interface MemoryFacts {
  /** Concurrent sequences per text model. */
  readonly textSlots: number
  /** The minimum of the machine's memory, the container's limit and the setting `memory`. */
  readonly machineBytes: number
  /** Memory of the GPU in use: 0 = no GPU, Infinity = unknown. */
  readonly gpuBytes: number
}

/** Size of a picture in pixels. */
interface PixelSize {
  readonly width: number
  readonly height: number
}

/** Expected memory of a model before its first load. */
export interface MemoryEstimate {
  readonly expected: MemoryNeed
  /** Minimum needed for loading. */
  readonly least: MemoryNeed
}

/** Expected and minimum memory of a model; zero if it runs elsewhere. */
export function estimateMemory(descriptor: ModelDescriptor, facts: MemoryFacts): MemoryEstimate {
  if (descriptor.bytes === 0) return { expected: noMemory, least: noMemory }
  return descriptor.kind === 'text' ? estimateText(descriptor, facts) : estimateImages(descriptor, facts)
}

/**
 * Expected memory while drawing a picture of a given size beside its references, including the model itself. Sizes up to the native one without
 * references need no more than {@link estimateMemory} says.
 */
export function estimateDrawing(
  descriptor: ImageModelDescriptor,
  size: PixelSize & Pick<ImageRequest, 'referencePixels'>,
  facts: ImageFacts,
): MemoryNeed {
  const { expected } = estimateImages(descriptor, facts)
  const { native, draws, format, bytes } = descriptor
  const { referencePixels: seen = 0 } = size
  const [own, wanted] = [native.width * native.height, Math.max(native.width * native.height, size.width * size.height)]
  if (draws === 'native' || format === 'upscaler' || bytes === 0 || (wanted === own && seen === 0)) return expected
  const squares = (pixels: number): number => (pixels / 1024 ** 2) ** 2
  const attention = format === 'onnx-sdxl' ? exportedAttentionBytes * (squares(wanted) - squares(own)) : 0
  const more = (wanted - own) * bytesPerPixel + attention + seen * bytesPerReferencePixel
  return addMemory(expected, facts.gpuBytes === 0 ? { processorBytes: more, gpuBytes: 0 } : { processorBytes: 0, gpuBytes: more })
}

/** Replaces the estimate by the measurement of the last load, which also bounds the minimum. */
export function correctEstimate({ least }: MemoryEstimate, measured: MemoryNeed): MemoryEstimate {
  return { expected: measured, least: minMemory(least, measured) }
}

/** Layers that do not fit on the GPU stay on the processor. */
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

/** A GPU holds an image model as a whole or not at all; on the processor its components can be loaded in turn. */
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

/** Bytes of processor memory and GPU memory; each has its own budget. */
export interface MemoryNeed {
  readonly processorBytes: number
  readonly gpuBytes: number
}

export const noMemory: MemoryNeed = { processorBytes: 0, gpuBytes: 0 }

/** Sums per kind of memory. */
export function addMemory(a: MemoryNeed, b: MemoryNeed): MemoryNeed {
  return { processorBytes: a.processorBytes + b.processorBytes, gpuBytes: a.gpuBytes + b.gpuBytes }
}

/** Differences per kind of memory, `a` − `b`; may be negative. */
export function beyondMemory(a: MemoryNeed, b: MemoryNeed): MemoryNeed {
  return { processorBytes: a.processorBytes - b.processorBytes, gpuBytes: a.gpuBytes - b.gpuBytes }
}

/** Minimum per kind of memory. */
export function minMemory(a: MemoryNeed, b: MemoryNeed): MemoryNeed {
  return { processorBytes: Math.min(a.processorBytes, b.processorBytes), gpuBytes: Math.min(a.gpuBytes, b.gpuBytes) }
}

/** Whether a need fits the budget for each kind of memory. */
export function fitsMemory(need: MemoryNeed, budget: MemoryNeed): boolean {
  return need.processorBytes <= budget.processorBytes && need.gpuBytes <= budget.gpuBytes
}

/** Bits per weight of common llama.cpp quantizations, measured over whole files of 7 to 8 B parameters; best quality first. */
const bitsPerWeight = [
  ['Q8_0', 8.5],
  ['Q6_K', 6.6],
  ['Q5_K_M', 5.7],
  ['Q4_K_M', 4.9],
  ['Q3_K_M', 4],
  ['Q2_K', 3.2],
] as const

/** The best quantization of a language model whose weights fit into `bytes`; null = none. */
export function findFittingQuantization(parameters: number, bytes: number): { readonly name: string; readonly bytes: number } | null {
  for (const [name, bits] of bitsPerWeight) {
    const size = Math.ceil((parameters * bits) / 8)
    if (size <= bytes) return { name, bytes: size }
  }
  return null
}
