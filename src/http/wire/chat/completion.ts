import { toErrorRecord } from '../../../core/error.ts'
import type { Clock } from '../../../core/ports/clock.ts'
import { finishWords } from '../../../core/text/finish-words.ts'
import type { TextPart, TextRequest, TokenLogprob, UnscoredToken } from '../../../core/text-generation.ts'
import type { TextResult } from '../../../operations/collect-text.ts'
import { toErrorObject } from '../../faults/error-body.ts'
import { type Answer, newId } from '../answer.ts'
import { doneEvent, encodeEventData } from '../event-data.ts'
import type { Delivery } from './stream-options-field.ts'
import { type completionLogprobsSchema, type completionSchema, encodeTokenUsage } from './text-answers.ts'

/** The answer of a plain completion that is not streamed. */
export function encodeCompletion(head: CompletionHead, request: TextRequest, result: TextResult): Answer<typeof completionSchema> {
  return {
    id: head.id,
    object: 'text_completion',
    created: head.created,
    model: head.model,
    system_fingerprint: null,
    choices: result.choices.map(({ text, logprobs, unscored, reason }, index) => ({
      index,
      text,
      logprobs: request.topLogprobs === null ? null : encodeCompletionLogprobs({ logprobs, unscored }, 0),
      finish_reason: finishWords[reason].openAi,
    })),
    usage: encodeTokenUsage(result.usage),
  }
}

/** The fields that the answer and all chunks of one generation share. */
export interface CompletionHead {
  /** `cmpl-` and 32 hex digits. */
  readonly id: string
  /** Unix seconds. */
  readonly created: number
  readonly model: string
  /** The service tier that the answer names; absent = none. */
  readonly tier?: 'default' | 'flex' | 'priority' | undefined
}

/** A head with a new id and the current time. */
export function startCompletion(clock: Clock, model: string, tier?: CompletionHead['tier']): CompletionHead {
  return { tier, id: newId('cmpl-'), created: Math.floor(clock.now() / 1000), model }
}

/** Log probabilities in the format of plain completions. @param offset Characters of the choice before the first token. */
function encodeCompletionLogprobs(
  { logprobs, unscored }: { readonly logprobs: readonly TokenLogprob[]; readonly unscored?: UnscoredToken | undefined },
  offset: number,
): Answer<typeof completionLogprobsSchema> {
  const first = unscored === undefined ? [] : [null]
  const tokens = [...(unscored === undefined ? [] : [unscored]), ...logprobs].map(({ token }) => token)
  let next = offset
  return {
    tokens,
    token_logprobs: [...first, ...logprobs.map(({ logprob }) => logprob)],
    top_logprobs: [...first, ...logprobs.map(({ top }) => Object.fromEntries(top.map(({ token, logprob }) => [token, logprob])))],
    text_offset: tokens.map((token) => {
      const at = next
      next += token.length
      return at
    }),
  }
}

/**
 * Encodes a generation as the events of a plain completion stream; failures as in the chat stream. An early stream begins with an empty text
 * before the first part exists.
 */
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
