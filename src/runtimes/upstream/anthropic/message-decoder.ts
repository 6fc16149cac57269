import { randomUUID } from 'node:crypto'
import { readFinishWord } from '../../../core/text/finish-words.ts'
import type { PromptUsage, TextPart } from '../../../core/text-generation.ts'
import type { DecodedPart, StreamDecoder } from '../data-lines.ts'
import { fieldsOf } from '../field-of.ts'
import { parseJson } from '../parse-json.ts'
import { type CountedTokens, countOf } from '../token-count.ts'
import { makeBrokenError, makeEventError, makeReportedError } from '../upstream-error.ts'

type Fields = Readonly<Record<string, unknown>>

/** Decodes streams of Anthropic's API. Blocks other than text, thinking and tool use are ignored. */
export class MessageDecoder implements StreamDecoder {
  readonly #calls = new ToolCalls()
  #usage: Fields = {}
  #hasBegun = false
  #hasBlocks = false
  #isFinished = false

  decode(line: string): readonly DecodedPart[] {
    const parts = this.#read(parseEvent(line))
    if (parts.length === 0 || this.#hasBegun) return parts
    this.#hasBegun = true
    // Sent with the first text, because until then another server may be tried.
    const { promptTokens, cachedTokens } = decodePrompt(this.#usage)
    return promptTokens > 0 && !this.#isFinished ? [{ type: 'prompt', usage: { promptTokens, cachedTokens } }, ...parts] : parts
  }

  #read(event: Fields): readonly DecodedPart[] {
    switch (event.type) {
      case 'message_start':
        this.#usage = fieldsOf(fieldsOf(event.message).usage)
        return []
      case 'content_block_start': {
        const block = fieldsOf(event.content_block)
        this.#hasBlocks = true
        return [...decodeStart(block), ...this.#calls.start(numberOf(event.index), block)]
      }
      case 'content_block_delta':
        return decodeDelta(numberOf(event.index), fieldsOf(event.delta), this.#calls)
      case 'content_block_stop':
        return this.#calls.stop(numberOf(event.index))
      case 'message_delta':
        return this.#noteEnd(event)
      case 'message_stop':
        if (!this.#isFinished && !this.#hasBlocks) throw makeBrokenError('ended a message without saying anything')
        return [...this.#noteEnd({ delta: { stop_reason: 'end_turn' } }), { type: 'finish', usage: decodeUsage(this.#usage) }]
      case 'message':
        return eventsOf(event).flatMap((each) => this.#read(each))
      case 'error':
        throw makeEventError(event)
      default:
        return []
    }
  }

  end(): never {
    throw makeBrokenError('ended a stream before its answer was finished')
  }

  #noteEnd({ usage, delta }: Fields): readonly TextPart[] {
    // Each report repeats the totals; some servers report the prompt's only here.
    this.#usage = { ...this.#usage, ...fieldsOf(usage) }
    const { stop_reason: reason, stop_sequence: stop } = fieldsOf(delta)
    if (typeof reason !== 'string' || this.#isFinished) return []
    this.#isFinished = true
    const meant = readFinishWord(reason, { hasCalls: this.#calls.exist })
    if (meant === 'failed') throw makeReportedError(`ended an answer with ${reason.slice(0, 40)}`)
    return [{ type: 'choice-finish', choice: 0, reason: meant, ...(typeof stop === 'string' && { stop }) }]
  }
}

/** The parts of a message from a server that does not stream. */
function eventsOf(message: Fields): readonly Fields[] {
  const blocks = Array.isArray(message.content) ? message.content.map(fieldsOf) : []
  const contents = blocks.flatMap((block, index) => {
    const delta = {
      type: 'input_json_delta',
      partial_json: Object.keys(fieldsOf(block.input)).length > 0 ? JSON.stringify(block.input) : '',
    }
    return [
      { type: 'content_block_start', index, content_block: block },
      { type: 'content_block_delta', index, delta },
      { type: 'content_block_stop', index },
    ]
  })
  return [
    { type: 'message_start', message },
    ...contents,
    { type: 'message_delta', delta: message, usage: message.usage },
    { type: 'message_stop' },
  ]
}

function decodeUsage(usage: Fields): CountedTokens {
  const { promptTokens, cachedTokens } = decodePrompt(usage)
  return { promptTokens: promptTokens || undefined, completionTokens: countOf(usage.output_tokens), cachedTokens }
}

function decodePrompt(usage: Fields): PromptUsage {
  const cachedTokens = countOf(usage.cache_read_input_tokens) ?? 0
  const read = countOf(usage.input_tokens) ?? 0
  return { promptTokens: read + cachedTokens + (countOf(usage.cache_creation_input_tokens) ?? 0), cachedTokens }
}

function decodeStart({ type, text, thinking }: Fields): readonly TextPart[] {
  if (type === 'text' && typeof text === 'string' && text !== '') return [{ type: 'text', choice: 0, text }]
  if (type === 'thinking' && typeof thinking === 'string' && thinking !== '') return [{ type: 'thoughts', choice: 0, text: thinking }]
  return []
}

function decodeDelta(block: number, delta: Fields, calls: ToolCalls): readonly TextPart[] {
  if (delta.type === 'text_delta' && typeof delta.text === 'string') return [{ type: 'text', choice: 0, text: delta.text }]
  if (delta.type === 'thinking_delta' && typeof delta.thinking === 'string') return [{ type: 'thoughts', choice: 0, text: delta.thinking }]
  if (delta.type === 'input_json_delta' && typeof delta.partial_json === 'string') return calls.add(block, delta.partial_json)
  return []
}

/** The tool calls of a message, numbered from 0. Missing arguments become an empty object. */
class ToolCalls {
  readonly #byBlock = new Map<number, { readonly index: number; hasArguments: boolean }>()

  get exist(): boolean {
    return this.#byBlock.size > 0
  }

  start(block: number, { type, id, name }: Fields): readonly TextPart[] {
    if (type !== 'tool_use') return []
    if (typeof name !== 'string' || name === '') throw makeBrokenError('called a tool without a name')
    const index = this.#byBlock.size
    this.#byBlock.set(block, { index, hasArguments: false })
    return [
      {
        type: 'tool-call',
        choice: 0,
        index,
        id: typeof id === 'string' && id !== '' ? id : `call_${randomUUID().replaceAll('-', '')}`,
        name,
      },
    ]
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
    throw makeBrokenError('sent something other than JSON in its stream', cause)
  }
}

function numberOf(value: unknown): number {
  return typeof value === 'number' ? value : 0
}
