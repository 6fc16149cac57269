import { ServiceError } from '../../core/error.ts'
import type { TextPart } from '../../core/text-generation.ts'
import { type Chunk, type ChunkChoice, type ChunkMessage, type ChunkUsage, parseChunks } from './chunk.ts'
import { scoresOf, textIn, textOf, textsOf } from './chunk-texts.ts'
import { ToolCalls } from './chunk-tool-calls.ts'
import { type DecodedPart, endPart, isEndMark, type ReportedEnd, readEnd, type StreamDecoder } from './data-lines.ts'
import { fieldOf } from './field-of.ts'
import { type CountedTokens, countOf } from './token-count.ts'
import { makeBrokenError, makeEventError, readShaped } from './upstream-error.ts'

/** Decodes streams of OpenAI's API. */
export class ChunkDecoder implements StreamDecoder {
  readonly #choices: number
  readonly #open: Set<number>
  readonly #calls = new Map<number, ToolCalls>()
  /** Reported ends of choices, held until the next event: some servers send the last piece after the reason. */
  readonly #ends = new Map<number, ReportedEnd>()
  #usage: CountedTokens | undefined
  #hasEvents = false
  /** Choices that the server has mentioned. */
  readonly #begun = new Set<number>()
  /** Whether the server has marked the end of the stream. */
  #isOver = false

  /** @param choices Number of requested choices. */
  constructor(choices: number) {
    this.#choices = choices
    this.#open = new Set(new Array(choices).keys())
  }

  get isComplete(): boolean {
    return this.#open.size === 0
  }

  decode(line: string): readonly DecodedPart[] {
    if (isEndMark(line)) {
      this.#isOver = true
      return this.end()
    }
    const chunks = parseChunks(line)
    if (chunks === undefined) throw makeBrokenError('sent something other than JSON in its stream')
    return decodeEach(chunks, (chunk) => this.#decodeChunk(chunk))
  }

  #decodeChunk(chunk: Chunk): readonly DecodedPart[] {
    if (isFault(chunk)) {
      // An error after the end of an answer does not affect the answer.
      if (this.isComplete) return []
      throw makeEventError(chunk)
    }
    this.#hasEvents ||= chunk.choices !== undefined
    return readShaped(() => {
      const usage = decodeUsage(chunk)
      this.#usage = usage ?? this.#usage
      const ended = this.#ends.size === 0 ? [] : [...this.#ends.keys()]
      const pieces = decodeEach(chunk.choices ?? [], (choice) => (choice === null ? [] : this.#decodeChoice(choice)))
      const over = ended.filter((choice) => !pieces.some((piece) => 'choice' in piece && piece.choice === choice))
      const parts = over.length === 0 ? pieces : [...over.flatMap((choice) => this.#passEnd(choice)), ...pieces]
      // Counts in an event of their own end a stream, unless more of the answer follows.
      if (pieces.length > 0) this.#isOver = false
      else this.#isOver ||= usage !== undefined && !chunk.choices?.length
      return parts
    })
  }

  end(): readonly DecodedPart[] {
    if (!this.#hasEvents) throw makeBrokenError('sent no events; `url` in its model.json may point to a server without this interface')
    // Some servers send no finish reason, or not for every choice.
    if (this.#isOver) for (const choice of this.#open) if (this.#begun.has(choice)) this.#end(choice, 'stop')
    const ends = [...this.#ends.keys()].flatMap((choice) => this.#passEnd(choice))
    const [missing] = this.#open
    if (missing !== undefined && missing > 0 && this.#begun.size === missing && (this.#isOver || this.#usage !== undefined))
      throw fewerChoices(missing)
    if (missing !== undefined) throw makeBrokenError('ended a stream before its answer was finished')
    return [...ends, { type: 'finish', usage: this.#usage }]
  }

  #decodeChoice(spoken: ChunkChoice): readonly TextPart[] {
    if (spoken.error && !this.isComplete) throw makeEventError(spoken)
    const choice = indexOf(spoken, this.#choices)
    this.#begun.add(choice)
    const message = messageOf(spoken)
    const texts = decodeTexts(spoken, message, choice)
    const parts = hasCalls(message) ? [...texts, ...this.#callsOf(choice).add(message)] : texts
    // A document with a whole message needs no end mark.
    const reason = wordOf(spoken.finish_reason) || (spoken.message && !spoken.delta ? 'stop' : '')
    if (reason !== '') this.#end(choice, reason, spoken.stop_reason)
    return parts
  }

  /** Takes note of the end of a choice, when it is first reported. */
  #end(choice: number, word: string, stop?: unknown): void {
    if (!this.#open.has(choice)) return
    const end = readEnd(word, stop)
    this.#open.delete(choice)
    this.#ends.set(choice, end)
  }

  /** The end of a choice after which nothing more of it came. */
  #passEnd(choice: number): readonly TextPart[] {
    const reported = this.#ends.get(choice)
    if (!this.#ends.delete(choice) || reported === undefined) return []
    const calls = this.#calls.get(choice)
    const end = endPart(choice, reported, calls?.exist === true)
    return [...(calls?.end({ isCut: end.reason !== 'tool_calls' }) ?? []), end]
  }

  #callsOf(choice: number): ToolCalls {
    const calls = this.#calls.get(choice) ?? new ToolCalls(choice)
    this.#calls.set(choice, calls)
    return calls
  }
}

/** Decodes each item. Most chunks have one, for which `flatMap` would allocate a list with room for seventeen. */
function decodeEach<Item, Part>(items: readonly Item[], decode: (item: Item) => readonly Part[]): readonly Part[] {
  const [first] = items
  return first !== undefined && items.length === 1 ? decode(first) : items.flatMap(decode)
}

/** Whether a chunk reports an error, in any of the forms in use: as a field, or as the whole event. */
function isFault({ error, object, choices, message, code, type, status }: Chunk): boolean {
  if (error || object === 'error') return true
  return !choices && typeof message === 'string' && [code, type, status].some((kind) => kind !== undefined && kind !== null)
}

/** A server that returns fewer choices than requested, such as one. */
function fewerChoices(count: number): ServiceError {
  const message =
    count === 1
      ? 'This model runs on a server that returns one choice per request; leave n out.'
      : `This model runs on a server that returned only ${count} choices; set n to ${count} at most.`
  return new ServiceError('unsupported_parameter', message, { param: 'n' })
}

/** The index of a choice, bounded because it becomes a position in a list. Some servers omit the first. */
function indexOf({ index }: ChunkChoice, choices: number): number {
  const place: unknown = typeof index === 'string' && /^\d+$/.test(index) ? Number(index) : (index ?? 0)
  if (typeof place !== 'number' || !Number.isInteger(place) || place < 0 || place >= choices)
    throw makeBrokenError('sent a choice that was not requested')
  return place
}

/** The message of a choice, or a piece of it. */
function messageOf({ delta, message, text }: ChunkChoice): ChunkMessage {
  if (text !== undefined && text !== null) return { content: text }
  return typeof delta === 'string' ? { content: delta } : (delta ?? message ?? {})
}

/** The texts of a choice. Log probabilities come with the last visible text, which may be empty, since a token may be part of a character. */
function decodeTexts({ logprobs }: ChunkChoice, message: ChunkMessage, choice: number): readonly TextPart[] {
  const { content, reasoning_content: thoughts, reasoning, reasoning_text: copilot } = message
  // Most pieces are one text and nothing else.
  if (typeof content === 'string' && !logprobs && (thoughts ?? '') === '' && (reasoning ?? '') === '' && (copilot ?? '') === '')
    return content === '' ? [] : [{ type: 'text', choice, text: content }]
  const isScored = Boolean(logprobs?.content?.length || logprobs?.tokens?.length)
  const spoken = textsOf(message)
  const last = spoken.findLastIndex(({ type }) => type === 'text')
  return spoken.flatMap(({ type, text }, place): readonly TextPart[] => {
    if (text === '' && !(isScored && place === last && hasContent(message))) return []
    return type === 'thoughts' ? [{ type, choice, text }] : [{ type, choice, text, ...(place === last && scoresOf(logprobs)) }]
  })
}

function hasContent({ content, refusal }: ChunkMessage): boolean {
  return (content ?? refusal ?? null) !== null
}

function hasCalls({ tool_calls: calls, function_call: old }: ChunkMessage): boolean {
  return (calls ?? old ?? null) !== null
}

/** The finish reason; SGLang's own API puts it into an object. */
function wordOf(reason: unknown): string {
  if (reason === undefined || reason === null || typeof reason === 'boolean') return ''
  return textOf(textIn(fieldOf(reason, 'type')) ?? textIn(reason) ?? reason) ?? ''
}

/** Usage from OpenAI's field, Groq's or Moonshot's own, or llama-server's timings. */
function decodeUsage({ usage, x_groq: groq, timings, choices }: Chunk): CountedTokens | undefined {
  const reported: ChunkUsage | null | undefined = usage ?? groq?.usage ?? choices?.[0]?.usage
  if (!reported && !timings) return undefined
  const [cached, evaluated] = [countOf(timings?.cache_n), countOf(timings?.prompt_n)]
  const promptTokens =
    countOf(reported?.prompt_tokens ?? reported?.input_tokens) ?? (evaluated === undefined ? undefined : evaluated + (cached ?? 0))
  const all = countOf(reported?.total_tokens)
  const rest = all === undefined || promptTokens === undefined || all < promptTokens ? undefined : all - promptTokens
  const completionTokens = countOf(reported?.completion_tokens ?? reported?.output_tokens) ?? rest ?? countOf(timings?.predicted_n)
  if (promptTokens === undefined && completionTokens === undefined) return undefined
  const thoughtTokens = countOf(reported?.completion_tokens_details?.reasoning_tokens) ?? 0
  const { prompt_tokens_details: details, input_tokens_details: inputDetails } = reported ?? {}
  const hits = details?.cached_tokens ?? inputDetails?.cached_tokens ?? reported?.cached_tokens ?? reported?.prompt_cache_hit_tokens
  const cachedTokens = countOf(hits) ?? cached ?? 0
  return { promptTokens, completionTokens, cachedTokens, ...(thoughtTokens > 0 && { thoughtTokens }) }
}
