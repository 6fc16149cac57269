import type { ImageRequest } from '../../../core/image-generation.ts'
import type { InferenceWork } from '../../../core/inference.ts'
import type { TextRequest } from '../../../core/text-generation.ts'

/** JSON around the content. */
const frameBytes = 4096
/** The size of noise, the worst case: PNG stores three bytes per pixel; JPEG and WebP at full quality about one. */
const bytesPerPixel = { png: 3.01, jpeg: 1, webp: 1 } as const
/** JSON bytes of a token, and of one with its log probability. */
const bytesPerToken = 24
const bytesPerLogprob = 160

/** More tokens than almost any answer to a request without a limit has. */
const usualTokens = 4096

/** JSON bytes of a vector of 4096 numbers. */
const bytesPerVector = 4096 * 22

/** The largest expected size of a deferred output, in bytes. */
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
