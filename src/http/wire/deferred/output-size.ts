import type { ImageRequest } from '../../../core/image-generation.ts'
import type { InferenceWork } from '../../../core/inference.ts'
import type { TextRequest } from '../../../core/text-generation.ts'

/** JSON around the content. */
const frameBytes = 4096
/** PNG keeps noise as it is, three bytes a pixel; of JPEG and WebP noise at full quality takes about one. */
const bytesPerPixel = { png: 3.01, jpeg: 1, webp: 1 } as const
/** A token of text as JSON, and one with its logarithmic probability. */
const bytesPerToken = 24
const bytesPerLogprob = 160

/** Tokens that hardly an answer has whose request names no limit. */
const usualTokens = 4096

/** A vector of 4096 numbers as JSON. */
const bytesPerVector = 4096 * 22

/** Bytes that the stored output of deferred work is expected to take at most. */
export function expectOutputBytes(work: InferenceWork): number {
  if (work.kind === 'embedding') return frameBytes + work.request.inputs.length * bytesPerVector
  if (work.kind === 'chat') return expectTextBytes(work.request)
  return expectImageBytes(work.request, work.kind === 'image' ? work.request.seeds.length : 1)
}

function expectImageBytes({ width, height, encoding }: Pick<ImageRequest, 'width' | 'height' | 'encoding'>, images: number): number {
  const base64 = 4 / 3
  return Math.ceil(images * (width * height * bytesPerPixel[encoding] * base64 + frameBytes))
}

function expectTextBytes({ choices, maxTokens, maxTokensIsDefault, topLogprobs }: TextRequest): number {
  const perToken = bytesPerToken + (topLogprobs === null ? 0 : (topLogprobs + 1) * bytesPerLogprob)
  const tokens = maxTokensIsDefault === true ? Math.min(maxTokens, usualTokens) : maxTokens
  return frameBytes + choices * tokens * perToken
}
