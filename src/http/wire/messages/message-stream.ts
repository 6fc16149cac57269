import { toErrorRecord } from '../../../core/error.ts'
import type { FinishReason, PromptUsage, TextPart } from '../../../core/text-generation.ts'
import { encodeNamedEvent } from '../event-data.ts'
import { callId, emptyMessage, encodeMessageUsage, type MessageHead, signThoughts, stopReason } from './message.ts'
import { toMessageError } from './message-error.ts'

/**
 * Encodes a generation as the events of Anthropic's message stream, one whole event per item. A failure becomes an `error` event, after which
 * the stream ends without `message_stop`.
 *
 * @param options.isEarly Whether the message begins before the prompt is read; then its tokens are reported at the end.
 */
export async function* encodeMessageStream(
  head: MessageHead,
  parts: AsyncIterable<TextPart>,
  { thoughts, isEarly = false }: { readonly thoughts: boolean; readonly isEarly?: boolean },
): AsyncGenerator<string, void, undefined> {
  const blocks = new Blocks()
  let started = false
  let end: { readonly reason: FinishReason; readonly stop?: string; readonly warnings?: readonly string[] } = { reason: 'stop' }
  const start = (prompt: PromptUsage): string => {
    started = true
    const message = emptyMessage(head, { ...prompt, completionTokens: 0 })
    return event('message_start', { message }) + pingEvent
  }
  const unread = { promptTokens: 0, cachedTokens: 0 }
  try {
    if (isEarly) yield start(unread)
    for await (const part of parts) {
      if (!started) yield start(part.type === 'prompt' ? part.usage : unread)
      if (part.type === 'choice-finish') end = part
      else if (part.type === 'finish') {
        yield* blocks.close()
        yield event('message_delta', {
          delta: { stop_reason: stopReason(end), stop_sequence: end.stop ?? null },
          usage: encodeMessageUsage(part.usage),
          warnings: end.warnings,
        })
      } else if (part.type !== 'prompt' && (thoughts || part.type !== 'thoughts')) yield* blocks.add(part)
    }
  } catch (error) {
    yield encodeNamedEvent('error', toMessageError(toErrorRecord(error)))
    throw error
  }
  yield event('message_stop', {})
}

type BlockPart = Exclude<TextPart, { type: 'prompt' | 'choice-finish' | 'finish' }>
type BlockKind = 'text' | 'thinking' | 'tool_use'

/** The blocks of a stream. At most one is open, and a part of another kind closes it. */
class Blocks {
  #index = -1
  #open: BlockKind | null = null
  #thoughts = '';

  *add(part: BlockPart): Generator<string> {
    switch (part.type) {
      case 'text':
        if (part.text === '') return
        if (this.#open !== 'text') yield* this.#start('text', { text: '' })
        yield this.#delta({ type: 'text_delta', text: part.text })
        return
      case 'thoughts':
        if (this.#open !== 'thinking') yield* this.#start('thinking', { thinking: '', signature: '' })
        this.#thoughts += part.text
        yield this.#delta({ type: 'thinking_delta', thinking: part.text })
        return
      case 'tool-call':
        yield* this.#start('tool_use', { id: callId(part.id), name: part.name, input: {} })
        return
      case 'tool-arguments':
        yield this.#delta({ type: 'input_json_delta', partial_json: part.fragment })
    }
  }

  *close(): Generator<string> {
    if (this.#open === null) return
    if (this.#open === 'thinking') yield this.#delta({ type: 'signature_delta', signature: signThoughts(this.#thoughts) })
    yield event('content_block_stop', { index: this.#index })
    this.#open = null
    this.#thoughts = ''
  }

  *#start(type: BlockKind, fields: object): Generator<string> {
    yield* this.close()
    this.#index += 1
    this.#open = type
    yield event('content_block_start', { index: this.#index, content_block: { type, ...fields } })
  }

  #delta(delta: object): string {
    return event('content_block_delta', { index: this.#index, delta })
  }
}

function event(type: string, fields: object): string {
  return encodeNamedEvent(type, { type, ...fields })
}

/** An event without content that keeps the connection alive. */
export const pingEvent = event('ping', {})
