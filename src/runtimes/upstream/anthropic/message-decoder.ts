import type { PromptUsage, TextPart } from '../../../core/text-generation.ts'
import { newCallId } from '../chunk-tool-calls.ts'
import { type DecodedPart, endPart, isEndMark, type ReportedEnd, readEnd, type StreamDecoder } from '../data-lines.ts'
import { fieldsOf } from '../field-of.ts'
import { parseJson } from '../parse-json.ts'
import { type CountedTokens, countOf } from '../token-count.ts'
import { makeBrokenError, makeEventError } from '../upstream-error.ts'

type Fields = Readonly<Record<string, unknown>>

/** Decodes streams of Anthropic's API. Blocks other than text, thinking and tool use are ignored. */
export class MessageDecoder implements StreamDecoder {
  readonly #calls = new ToolCalls()
  readonly #blocks = new BlockPlaces()
  #usage: Fields = {}
  #hasBegun = false
  #hasBlocks = false
  /** The reported end of the message, held until its last event: some servers send the last piece after the reason. */
  #end: ReportedEnd | null = null

  get isComplete(): boolean {
    return this.#end !== null
  }

  decode(line: string): readonly DecodedPart[] {
    if (isEndMark(line)) return this.end()
    const parts = this.#read(parseEvent(line))
    if (parts.length === 0 || this.#hasBegun) return parts
    this.#hasBegun = true
    // Sent with the first text, because until then another server may be tried.
    const { promptTokens, cachedTokens } = decodePrompt(this.#usage)
    return promptTokens > 0 && this.#end === null ? [{ type: 'prompt', usage: { promptTokens, cachedTokens } }, ...parts] : parts
  }

  #read(event: Fields): readonly DecodedPart[] {
    switch (event.type ?? (event.error ? 'error' : undefined)) {
      case 'message_start':
        this.#usage = fieldsOf(fieldsOf(event.message).usage)
        return []
      case 'content_block_start': {
        const block = fieldsOf(event.content_block)
        this.#hasBlocks = true
        return [...decodeStart(block), ...this.#calls.start(this.#blocks.open(event.index), block)]
      }
      case 'content_block_delta': {
        const parts = decodeDelta(this.#blocks.of(event.index), fieldsOf(event.delta), this.#calls)
        this.#hasBlocks ||= parts.length > 0
        return parts
      }
      case 'content_block_stop':
        return this.#calls.stop(this.#blocks.of(event.index))
      case 'message_delta':
        this.#noteEnd(event)
        return []
      case 'message_stop':
        if (this.#end === null && !this.#hasBlocks) throw makeBrokenError('ended a message without saying anything')
        this.#noteEnd({ delta: { stop_reason: 'end_turn' } })
        return this.end()
      case 'message':
        return eventsOf(event).flatMap((each) => this.#read(each))
      case 'error':
        // An error after the end of an answer does not affect the answer.
        if (this.#end !== null) return []
        throw makeEventError(event)
      default:
        return []
    }
  }

  end(): readonly DecodedPart[] {
    if (this.#end === null) throw makeBrokenError('ended a stream before its answer was finished')
    const end = endPart(0, this.#end, this.#calls.exist)
    const rest = end.reason === 'length' ? [] : this.#calls.end()
    return [...rest, end, { type: 'finish', usage: decodeUsage(this.#usage) }]
  }

  #noteEnd({ usage, delta }: Fields): void {
    // Each report repeats the totals; some servers report the prompt's only here.
    this.#usage = { ...this.#usage, ...fieldsOf(usage) }
    const { stop_reason: word, stop_sequence: stop } = fieldsOf(delta)
    if (typeof word === 'string') this.#end ??= readEnd(word, stop)
  }
}

/** The parts of a message from a server that does not stream. */
function eventsOf(message: Fields): readonly Fields[] {
  const blocks = Array.isArray(message.content) ? message.content.map(fieldsOf) : []
  const contents = blocks.flatMap((block, index) => [
    { type: 'content_block_start', index, content_block: block },
    { type: 'content_block_stop', index },
  ])
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

/** Some servers leave out the type of a delta. */
function decodeDelta(block: number, { type, text, thinking, partial_json: fragment }: Fields, calls: ToolCalls): readonly TextPart[] {
  const is = (name: string) => (type ?? name) === name
  if (is('text_delta') && typeof text === 'string') return [{ type: 'text', choice: 0, text }]
  if (is('thinking_delta') && typeof thinking === 'string') return [{ type: 'thoughts', choice: 0, text: thinking }]
  return is('input_json_delta') ? calls.add(block, writtenOf(fragment)) : []
}

/** Arguments as JSON text; some servers send the object. */
function writtenOf(value: unknown): string {
  if (typeof value === 'string') return value
  return Object.keys(fieldsOf(value)).length > 0 ? JSON.stringify(value) : ''
}

/** Positions of content blocks. Some servers send them as texts or leave them out: then the block that began last is meant. */
class BlockPlaces {
  #begun = 0
  #last = 0

  open(index: unknown): number {
    this.#last = countOf(index) ?? this.#begun
    this.#begun += 1
    return this.#last
  }

  of(index: unknown): number {
    return countOf(index) ?? this.#last
  }
}

interface OpenCall {
  readonly index: number
  /** Arguments from the beginning of the block, which count if none follow. */
  readonly written: string
  hasArguments: boolean
}

/** The tool calls of a message, numbered from 0. Missing arguments become an empty object. */
class ToolCalls {
  /** By block. A block whose position repeats is another call. */
  readonly #open = new Map<number, OpenCall>()
  #count = 0

  get exist(): boolean {
    return this.#count > 0
  }

  start(block: number, { type, id, name, input }: Fields): readonly TextPart[] {
    if (type !== 'tool_use') return []
    if (typeof name !== 'string' || name === '') throw makeBrokenError('called a tool without a name')
    const before = this.stop(block)
    const index = this.#count++
    this.#open.set(block, { index, written: writtenOf(input), hasArguments: false })
    const known = typeof id === 'string' && id !== '' ? id : newCallId()
    return [...before, { type: 'tool-call', choice: 0, index, id: known, name }]
  }

  add(block: number, fragment: string): readonly TextPart[] {
    const call = this.#open.get(block)
    if (call === undefined || fragment === '') return []
    call.hasArguments = true
    return [{ type: 'tool-arguments', choice: 0, index: call.index, fragment }]
  }

  stop(block: number): readonly TextPart[] {
    const call = this.#open.get(block)
    const rest = call?.hasArguments === false ? this.add(block, call.written.trim() === '' ? '{}' : call.written) : []
    this.#open.delete(block)
    return rest
  }

  /** Completes the calls whose blocks were not ended. */
  end(): readonly TextPart[] {
    return [...this.#open.keys()].flatMap((block) => this.stop(block))
  }
}

function parseEvent(line: string): Fields {
  try {
    const value = parseJson(line)
    return fieldsOf(Array.isArray(value) ? value[0] : value)
  } catch (cause) {
    throw makeBrokenError('sent something other than JSON in its stream', cause)
  }
}
