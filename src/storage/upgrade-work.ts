import { randomInt } from 'node:crypto'
import type { ImageRequest } from '../core/image-generation.ts'
import type { InferenceWork } from '../core/inference.ts'
import { defaultMaxTokens, type SamplingParameters, type TextRequest } from '../core/text-generation.ts'

/** Differences of image requests in format 1: null meant the default, and some fields did not exist. */
interface ImageRequestV1 extends Omit<ImageRequest, 'prompt2' | 'negative' | 'clipSkip' | 'mask' | 'guidanceRescale' | 'loras'> {
  readonly prompt2: string | null
  readonly negativePrompt: string | null
  readonly negativePrompt2: string | null
  readonly clipSkip: number | null
  readonly mask: Omit<NonNullable<ImageRequest['mask']>, 'blur'> | null
}

/** Differences of text requests in format 1: null meant the default, or a random seed. */
interface TextRequestV1 extends Omit<TextRequest, 'maxTokens' | 'sampling'> {
  readonly maxTokens: number | null
  readonly sampling: Omit<SamplingParameters, 'seed'> & { readonly seed: number | null }
}

/** Work as stored in format 1. */
export type WorkV1 =
  | { readonly kind: 'chat'; readonly request: TextRequestV1 }
  | { readonly kind: 'image'; readonly request: ImageRequestV1 }

/** Converts work of format 1 without changing its meaning. */
export function upgradeWork(work: WorkV1): InferenceWork {
  if (work.kind === 'chat') return { ...work, request: upgradeText(work.request) }
  const { prompt2, negativePrompt, negativePrompt2, clipSkip, mask, ...same } = work.request
  const negative =
    (negativePrompt ?? negativePrompt2) === null
      ? null
      : { prompt: negativePrompt ?? '', prompt2: negativePrompt2 || (negativePrompt ?? '') }
  return {
    ...work,
    request: {
      ...same,
      prompt2: prompt2 || same.prompt,
      negative,
      clipSkip: clipSkip ?? 0,
      mask: mask && { ...mask, blur: 0 },
      guidanceRescale: 0,
      loras: [],
    },
  }
}

function upgradeText({ maxTokens, sampling, ...same }: TextRequestV1): TextRequest {
  const seed = sampling.seed === null ? randomInt(2 ** 32) : Number(BigInt.asUintN(32, BigInt(sampling.seed)))
  return { ...same, maxTokens: maxTokens ?? defaultMaxTokens, sampling: { ...sampling, seed } }
}
