import { toErrorRecord } from '../../../../core/error.ts'
import type { ImageRequest } from '../../../../core/image-generation.ts'
import type { Clock } from '../../../../core/ports/clock.ts'
import type { ImageDrawingPart } from '../../../../operations/stream-image.ts'
import { toErrorObject } from '../../../faults/error-body.ts'
import { encodeNamedEvent } from '../../event-data.ts'
import { toBase64 } from '../image-result.ts'
import { describeImages } from './images-answer.ts'
import type { ImageDelivery } from './resolve-images.ts'

/** Pictures are billed per picture, not per token. */
const noTokens = { input_tokens: 0, input_tokens_details: { image_tokens: 0, text_tokens: 0 }, output_tokens: 0, total_tokens: 0 }

/**
 * Encodes a drawing as the named events of an image stream: previews, and each picture when it is complete.
 *
 * @param name Prefix of the events' names.
 */
export async function* encodeImagesStream(
  clock: Clock,
  {
    request,
    delivery,
    name,
  }: { readonly request: ImageRequest; readonly delivery: ImageDelivery; readonly name: 'image_generation' | 'image_edit' },
  parts: AsyncIterable<ImageDrawingPart>,
): AsyncGenerator<string, void, undefined> {
  const event = (kind: string, fields: object): string => {
    const type = `${name}.${kind}`
    const { created: created_at, ...described } = describeImages(clock, request, delivery)
    return encodeNamedEvent(type, { type, created_at, ...described, ...fields })
  }
  let index = 0
  try {
    for await (const part of parts) {
      if (part.type === 'preview')
        yield event('partial_image', { b64_json: toBase64(part.image), output_format: 'jpeg', partial_image_index: index++ })
      else
        for (const { bytes, seed, removedForSafety } of part.result.images)
          yield event('completed', {
            b64_json: removedForSafety ? '' : toBase64(bytes),
            removed_for_safety: removedForSafety,
            seed,
            usage: noTokens,
          })
    }
  } catch (error) {
    yield encodeNamedEvent('error', { type: 'error', error: toErrorObject(toErrorRecord(error)) })
    throw error
  }
}
