import { toErrorRecord } from '../../../core/error.ts'
import type { InferenceUpdate } from '../../../operations/deferred/inferences.ts'
import { toErrorObject } from '../../faults/error-body.ts'
import { encodePart } from '../chat/chat-stream.ts'
import { encodeNamedEvent } from '../event-data.ts'
import { toBase64 } from '../images/image-result.ts'
import { type AsyncAddress, encodeInference } from './inference.ts'

/**
 * Encodes the progress of a deferred request as named server-sent events: `status`, `progress`, `preview`, `text`, and `error` after a
 * failure.
 */
export async function* encodeInferenceStream(
  address: AsyncAddress,
  updates: AsyncIterable<InferenceUpdate>,
): AsyncGenerator<string, void, undefined> {
  try {
    for await (const update of updates) yield encodeUpdate(address, update)
  } catch (error) {
    yield encodeNamedEvent('error', { error: toErrorObject(toErrorRecord(error)) })
    throw error
  }
}

function encodeUpdate(address: AsyncAddress, update: InferenceUpdate): string {
  if (update.type === 'inference') return encodeNamedEvent('status', encodeInference(address, update.inference))
  if (update.type === 'progress') return encodeNamedEvent('progress', { step: update.progress.step, total: update.progress.total })
  if (update.type === 'text') return update.parts.map((part) => encodeNamedEvent('text', encodePart(part))).join('')
  return encodeNamedEvent('preview', { image_b64: toBase64(update.image) })
}
