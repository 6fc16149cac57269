import { toErrorRecord } from '../../../core/error.ts'
import { finishWords } from '../../../core/text/finish-words.ts'
import type { TextPart } from '../../../core/text-generation.ts'
import { toErrorObject } from '../../faults/error-body.ts'
import { doneEvent, encodeEventData } from '../event-data.ts'
import type { CompletionHead } from './completion-head.ts'
import { encodeCompletionLogprobs } from './completion-logprobs.ts'
import type { Delivery } from './stream-options-field.ts'
import { encodeTokenUsage } from './token-usage.ts'

/** Encodes a generation as the events of a plain completion stream; failures as in the chat stream. An early one begins with an empty text, before the first part is there. */
export async function* encodeCompletionStream(
  head: CompletionHead,
  parts: AsyncIterable<TextPart>,
  { isEarly = false, ...delivery }: Delivery & { readonly isEarly?: boolean },
): AsyncGenerator<string, void, undefined> {
  const chunk = (fields: object) =>
    encodeEventData({
      id: head.id,
      object: 'text_completion',
      created: head.created,
      model: head.model,
      system_fingerprint: null,
      ...fields,
    })
  const lengths: number[] = []
  try {
    if (isEarly) yield chunk({ choices: [{ index: 0, text: '', logprobs: null, finish_reason: null }] })
    for await (const part of parts) {
      if (part.type === 'text') {
        const offset = lengths[part.choice] ?? 0
        lengths[part.choice] = offset + part.text.length
        const logprobs = part.logprobs === undefined ? null : encodeCompletionLogprobs({ ...part, logprobs: part.logprobs }, offset)
        yield chunk({ choices: [{ index: part.choice, text: part.text, logprobs, finish_reason: null }] })
      } else if (part.type === 'choice-finish')
        yield chunk({ choices: [{ index: part.choice, text: '', logprobs: null, finish_reason: finishWords[part.reason].openAi }] })
      else if (part.type === 'finish' && delivery.includeUsage) yield chunk({ choices: [], usage: encodeTokenUsage(part.usage) })
    }
  } catch (error) {
    yield encodeEventData({ error: toErrorObject(toErrorRecord(error)) })
    throw error
  }
  yield doneEvent
}
