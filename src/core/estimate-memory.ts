import { cacheMemoryBeside, chooseContextLength, padCells } from './gguf/context-length.ts'
import type { ImageModelDescriptor, ModelDescriptor, TextModelDescriptor } from './model.ts'

/** What a loaded engine takes before it has any weights. */
const engineBytes = 130_000_000
/** Tokens that llama.cpp evaluates at once. */
const batchTokens = 512
/** Of these llama.cpp keeps a copy in the order that the processor's instructions want, beside the file. */
const repacked = /^(?:Q4_0|Q4_K|IQ4_NL|Q2_K|Q8_0)$/
/** What drawing takes per pixel at its peak: attention, and the decoder a tile at a time. */
const bytesPerPixel = 2048
/** Exported graphs are kept with parts that the runtime has folded. */
const exportGrowth = 1.3

export interface MemoryFacts {
  /** Sequences at once per text model. */
  readonly textSlots: number
  /** Of the machine, or of the container. */
  readonly machineBytes: number
}

/** Bytes that a model is going to take on the processor, before it has been loaded once; 0 = it runs elsewhere. */
export function estimateMemory(descriptor: ModelDescriptor, facts: MemoryFacts): number {
  if (descriptor.bytes === 0) return 0
  return engineBytes + (descriptor.kind === 'text' ? estimateText(descriptor, facts) : estimateImages(descriptor))
}

function estimateText(
  { bytes, weights, contextLength, trainedLength }: TextModelDescriptor,
  { textSlots, machineBytes }: MemoryFacts,
): number {
  if (weights === undefined) return Math.ceil(bytes * exportGrowth)
  const { quantization, cacheBytesPerToken, vocabularySize } = weights
  const length = chooseContextLength(
    { wanted: contextLength, trained: trainedLength ?? 4096 },
    { bytesPerToken: cacheBytesPerToken, sequences: textSlots, memory: cacheMemoryBeside({ weightBytes: bytes, machineBytes }) },
  )
  const caches = padCells(length) * textSlots * cacheBytesPerToken
  const logits = batchTokens * vocabularySize * 4
  return bytes * (repacked.test(quantization) ? 2 : 1) + caches + logits
}

function estimateImages({ bytes, format, native }: ImageModelDescriptor): number {
  const weights = format === 'onnx-sdxl' ? Math.ceil(bytes * exportGrowth) : bytes
  return weights + native.width * native.height * bytesPerPixel
}
