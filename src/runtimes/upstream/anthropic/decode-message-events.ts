import { isRecord } from '../../../core/is-record.ts'
import type { FinishReason, TextPart, TokenUsage } from '../../../core/text-generation.ts'
import { parseJson } from '../parse-json.ts'
import { countOf } from '../token-count.ts'
import { makeBrokenError, makeEventError } from '../upstream-error.ts'

type Fields = Readonly<Record<string, unknown>>

/**
 * Turns the events of a streamed message into parts; blocks other than text, thinking and tool use say nothing to a caller.
 *
 * @throws {ServiceError} `inference_failed` when the stream ends early, counts no tokens or reports an error, `server_is_overloaded` when it says that it is, and what a refusal in it means.
 */
export async function* decodeMessageEvents(lines: AsyncIterable<string>): AsyncGenerator<TextPart, void, undefined> {
  const calls = new ToolCalls()
  let usage: Fields = {}
  let isFinished = false
  for await (const line of lines) {
    const event = parseEvent(line)
    switch (event.type) {
      case 'message_start':
        usage = fieldsOf(fieldsOf(event.message).usage)
        break
      case 'content_block_start':
        yield* decodeStart(fieldsOf(event.content_block))
        yield* calls.start(numberOf(event.index), fieldsOf(event.content_block))
        break
      case 'content_block_delta':
        yield* decodeDelta(numberOf(event.index), fieldsOf(event.delta), calls)
        break
      case 'content_block_stop':
        yield* calls.stop(numberOf(event.index))
        break
      case 'message_delta': {
        // Sums so far, of whatever is told again; some servers know the prompt's only now.
        usage = { ...usage, ...fieldsOf(event.usage) }
        const { stop_reason: reason, stop_sequence: stop } = fieldsOf(event.delta)
        if (typeof reason !== 'string' || isFinished) break
        isFinished = true
        yield { type: 'choice-finish', choice: 0, reason: decodeReason(reason), ...(typeof stop === 'string' && { stop }) }
        break
      }
      case 'message_stop':
        if (!isFinished) throw makeBrokenError('ended a message without saying why')
        yield { type: 'finish', usage: decodeUsage(usage) }
        return
      case 'error':
        throw makeEventError(event)
    }
  }
  throw makeBrokenError('ended a stream before its answer was finished')
}

/** @throws {ServiceError} `inference_failed` where nothing was counted, or in something else than whole numbers. */
function decodeUsage(usage: Fields): TokenUsage {
  if (usage.output_tokens === undefined) throw makeBrokenError('sent no token counts')
  const cachedTokens = countOf(usage.cache_read_input_tokens)
  const promptTokens = countOf(usage.input_tokens) + cachedTokens + countOf(usage.cache_creation_input_tokens)
  return { promptTokens, completionTokens: countOf(usage.output_tokens), cachedTokens }
}

function* decodeStart({ type, text, thinking }: Fields): Generator<TextPart> {
  if (type === 'text' && typeof text === 'string' && text !== '') yield { type: 'text', choice: 0, text }
  if (type === 'thinking' && typeof thinking === 'string' && thinking !== '') yield { type: 'thoughts', choice: 0, text: thinking }
}

function* decodeDelta(block: number, delta: Fields, calls: ToolCalls): Generator<TextPart> {
  if (delta.type === 'text_delta' && typeof delta.text === 'string') yield { type: 'text', choice: 0, text: delta.text }
  if (delta.type === 'thinking_delta' && typeof delta.thinking === 'string') yield { type: 'thoughts', choice: 0, text: delta.thinking }
  if (delta.type === 'input_json_delta' && typeof delta.partial_json === 'string') yield* calls.add(block, delta.partial_json)
}

/** The tool calls of a message, numbered among themselves; one without arguments gets an empty object. */
class ToolCalls {
  readonly #byBlock = new Map<number, { readonly index: number; hasArguments: boolean }>()

  start(block: number, { type, id, name }: Fields): readonly TextPart[] {
    if (type !== 'tool_use') return []
    const index = this.#byBlock.size
    this.#byBlock.set(block, { index, hasArguments: false })
    return [{ type: 'tool-call', choice: 0, index, id: String(id), name: String(name) }]
  }

  add(block: number, fragment: string): readonly TextPart[] {
    const call = this.#byBlock.get(block)
    if (call === undefined || fragment === '') return []
    call.hasArguments = true
    return [{ type: 'tool-arguments', choice: 0, index: call.index, fragment }]
  }

  stop(block: number): readonly TextPart[] {
    return this.#byBlock.get(block)?.hasArguments === false ? this.add(block, '{}') : []
  }
}

function parseEvent(line: string): Fields {
  try {
    return fieldsOf(parseJson(line))
  } catch (cause) {
    throw makeBrokenError('sent something else than JSON in its stream', cause)
  }
}

function decodeReason(reason: string): FinishReason {
  if (reason === 'max_tokens' || reason === 'model_context_window_exceeded') return 'length'
  return reason === 'tool_use' ? 'tool_calls' : 'stop'
}

function fieldsOf(value: unknown): Fields {
  return isRecord(value) ? value : {}
}

function numberOf(value: unknown): number {
  return typeof value === 'number' ? value : 0
}
