import type { TextPart, TextRequest } from '../../../core/text-generation.ts'
import type { TextChoice } from '../../../operations/collect-text.ts'
import { encodeEventData } from '../event-data.ts'
import { encodeNativeEnd, encodeProbabilities, pickFields } from './completion.ts'
import type { NativeDelivery } from './completion-request.ts'
import { toNativeError } from './native-error.ts'
import type { NativeTimer } from './timings.ts'

/**
 * Encodes a generation as llama.cpp's events: pieces of text, then one with `stop: true` and the statistics. A failure ends the stream
 * without the latter.
 */
export async function* encodeNativeStream(
  request: TextRequest,
  parts: AsyncIterable<TextPart>,
  { timer, delivery }: { readonly timer: NativeTimer; readonly delivery: NativeDelivery },
): AsyncGenerator<string, void, undefined> {
  let text = ''
  let end: Pick<TextChoice, 'reason' | 'stop'> = { reason: 'stop' }
  try {
    for await (const part of parts) {
      timer.note(part)
      if (part.type === 'choice-finish') end = part
      if (part.type === 'finish')
        yield encodeEventData(pickFields(encodeNativeEnd(request, { index: 0, text, choice: end, timer }, delivery), delivery.fields))
      if (part.type !== 'text') continue
      text += part.text
      yield encodeEventData({
        index: 0,
        content: part.text,
        tokens: part.tokens ?? [],
        stop: false,
        id_slot: -1,
        tokens_predicted: timer.usage.completionTokens,
        tokens_evaluated: timer.usage.promptTokens,
        ...(delivery.timingsPerToken && { timings: timer.timings() }),
        ...(part.logprobs !== undefined && { completion_probabilities: encodeProbabilities(part.logprobs) }),
      })
    }
  } catch (error) {
    yield encodeEventData(toNativeError(error))
    throw error
  }
}
