import type { ImageRequest } from '../core/image-generation.ts'
import type { InferenceWork } from '../core/inference.ts'

/** What an image request of format 1 had in other words: nulls stood for defaults, and some fields did not exist. */
interface ImageRequestV1 extends Omit<ImageRequest, 'prompt2' | 'negative' | 'clipSkip' | 'mask' | 'guidanceRescale' | 'loras'> {
  readonly prompt2: string | null
  readonly negativePrompt: string | null
  readonly negativePrompt2: string | null
  readonly clipSkip: number | null
  readonly mask: Omit<NonNullable<ImageRequest['mask']>, 'blur'> | null
}

/** Work as it was stored in format 1. */
export type WorkV1 = Exclude<InferenceWork, { readonly kind: 'image' }> | { readonly kind: 'image'; readonly request: ImageRequestV1 }

/** Work of format 1 in today's words; it means the same. */
export function upgradeWork(work: WorkV1): InferenceWork {
  if (work.kind !== 'image') return work
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
