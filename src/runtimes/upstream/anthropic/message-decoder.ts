import { ServiceError } from '../../../core/error.ts'
import { isRecord } from '../../../core/is-record.ts'
import type { FinishReason, TextPart } from '../../../core/text-generation.ts'
import { parseJson } from '../parse-json.ts'
import type { StreamDecoder } from '../stream-decoder.ts'
import { makeBrokenError } from '../upstream-error.ts'

type Fields = Readonly<Record<string, unknown>>

/** Reads the streams of servers with Anthropic's interface; blocks other than text, thinking and tool use say nothing to a caller. */
export class MessageDecoder implements StreamDecoder {
  readonly #calls = new ToolCalls()
  #input = 0
  #cached = 0
  #output = 0
  #isFinished = false

  decode(line: string): readonly TextPart[] {
    const event = parseEvent(line)
    switch (event.type) {
      case 'message_start': {
        const usage = fieldsOf(fieldsOf(event.message).usage)
        this.#cached = count(usage.cache_read_input_tokens)
        this.#input = count(usage.input_tokens) + this.#cached + count(usage.cache_creation_input_tokens)
        return []
      }
      case 'content_block_start':
        return this.#calls.start(count(event.index), fieldsOf(event.content_block))
      case 'content_block_delta':
        return decodeDelta(count(event.index), fieldsOf(event.delta), this.#calls)
      case 'content_block_stop':
        return this.#calls.stop(count(event.index))
      case 'message_delta':
        return this.#noteEnd(event)
      case 'message_stop':
        if (!this.#isFinished) throw makeBrokenError('ended a message without saying why')
        return [{ type: 'finish', usage: { promptTokens: this.#input, completionTokens: this.#output, cachedTokens: this.#cached } }]
      case 'error':
        throw describeError(fieldsOf(event.error).type)
      default:
        return []
    }
  }

  end(): never {
    throw makeBrokenError('ended a stream before its answer was finished')
  }

  #noteEnd({ usage, delta }: Fields): readonly TextPart[] {
    this.#output = count(fieldsOf(usage).output_tokens)
    const { stop_reason: reason, stop_sequence: stop } = fieldsOf(delta)
    if (typeof reason !== 'string' || this.#isFinished) return []
    this.#isFinished = true
    return [{ type: 'choice-finish', choice: 0, reason: decodeReason(reason), ...(typeof stop === 'string' && { stop }) }]
  }
}

function decodeDelta(block: number, delta: Fields, calls: ToolCalls): readonly TextPart[] {
  if (delta.type === 'text_delta' && typeof delta.text === 'string') return [{ type: 'text', choice: 0, text: delta.text }]
  if (delta.type === 'thinking_delta' && typeof delta.thinking === 'string') return [{ type: 'thoughts', choice: 0, text: delta.thinking }]
  if (delta.type === 'input_json_delta' && typeof delta.partial_json === 'string') return calls.add(block, delta.partial_json)
  return []
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

function describeError(type: unknown): ServiceError {
  if (type !== 'overloaded_error' && type !== 'rate_limit_error') return makeBrokenError('reported an error in its stream')
  return new ServiceError('server_is_overloaded', 'The model is busy; try again in 1 s.', { retryAfterSeconds: 1 })
}

function fieldsOf(value: unknown): Fields {
  return isRecord(value) ? value : {}
}

function count(value: unknown): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : 0
}
