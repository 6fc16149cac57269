import { isRecord } from '../../../core/is-record.ts'
import type { FinishReason, TextPart } from '../../../core/text-generation.ts'
import { parseJson } from '../parse-json.ts'
import { makeBrokenError, makeEventError } from '../upstream-error.ts'

type Fields = Readonly<Record<string, unknown>>

/**
 * Turns the events of a streamed message into parts; blocks other than text, thinking and tool use say nothing to a caller.
 *
 * @throws {ServiceError} `inference_failed` when the stream ends early or reports an error, `server_is_overloaded` when it says that it is, and what a refusal in it means.
 */
export async function* decodeMessageEvents(lines: AsyncIterable<string>): AsyncGenerator<TextPart, void, undefined> {
  const calls = new ToolCalls()
  let [input, cached, output] = [0, 0, 0]
  let isFinished = false
  for await (const line of lines) {
    const event = parseEvent(line)
    switch (event.type) {
      case 'message_start': {
        const usage = fieldsOf(fieldsOf(event.message).usage)
        cached = count(usage.cache_read_input_tokens)
        input = count(usage.input_tokens) + cached + count(usage.cache_creation_input_tokens)
        break
      }
      case 'content_block_start':
        yield* calls.start(count(event.index), fieldsOf(event.content_block))
        break
      case 'content_block_delta':
        yield* decodeDelta(count(event.index), fieldsOf(event.delta), calls)
        break
      case 'content_block_stop':
        yield* calls.stop(count(event.index))
        break
      case 'message_delta': {
        output = count(fieldsOf(event.usage).output_tokens)
        const { stop_reason: reason, stop_sequence: stop } = fieldsOf(event.delta)
        if (typeof reason !== 'string' || isFinished) break
        isFinished = true
        yield { type: 'choice-finish', choice: 0, reason: decodeReason(reason), ...(typeof stop === 'string' && { stop }) }
        break
      }
      case 'message_stop':
        if (!isFinished) throw makeBrokenError('ended a message without saying why')
        yield { type: 'finish', usage: { promptTokens: input, completionTokens: output, cachedTokens: cached } }
        return
      case 'error':
        throw makeEventError(event)
    }
  }
  throw makeBrokenError('ended a stream before its answer was finished')
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

function count(value: unknown): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : 0
}
