import { ServiceError } from '../../core/error.ts'
import type { FinishReason, TextPart, TokenLogprob, TokenUsage } from '../../core/text-generation.ts'
import {
  type ChunkChoice,
  type ChunkLogprob,
  type ChunkMessage,
  type ChunkToolCall,
  type ChunkUsage,
  type CompletionLogprobs,
  parseChunk,
} from './chunk.ts'
import type { StreamDecoder } from './stream-decoder.ts'
import { countOf } from './token-count.ts'
import { makeBrokenError, makeEventError, makeToldError, readShaped } from './upstream-error.ts'

/** Reads the streams of servers with OpenAI's interface. */
export class ChunkDecoder implements StreamDecoder {
  readonly #choices: number
  readonly #open: Set<number>
  readonly #calls = new ToolCalls()
  #usage: TokenUsage | undefined
  #hasEvents = false

  /** @param choices How many were asked for. */
  constructor(choices: number) {
    this.#choices = choices
    this.#open = new Set(new Array(choices).keys())
  }

  decode(line: string): readonly TextPart[] {
    if (line === '[DONE]') return this.end()
    const chunk = parseChunk(line)
    if (chunk === undefined) throw makeBrokenError('sent something else than JSON in its stream')
    if (chunk.error) throw makeEventError(chunk)
    this.#hasEvents ||= chunk.choices !== undefined
    return readShaped(() => {
      this.#usage = decodeUsage(chunk.usage) ?? this.#usage
      const parts: TextPart[] = []
      for (const choice of chunk.choices ?? []) {
        const index = indexOf(choice, this.#choices)
        parts.push(...decodeChoice(choice, { index, calls: this.#calls }), ...decodeEnd(choice, { index, open: this.#open }))
      }
      return parts
    })
  }

  end(): readonly TextPart[] {
    if (!this.#hasEvents) throw makeBrokenError('sent no events; `url` in its model.json may lead to something without this interface')
    const isFirstAlone = this.#choices > 1 && this.#open.size === this.#choices - 1 && !this.#open.has(0)
    if (isFirstAlone && this.#usage !== undefined)
      throw new ServiceError('unsupported_parameter', 'This model runs on a server that makes one choice at a time; leave n out.', {
        param: 'n',
      })
    if (this.#open.size > 0) throw makeBrokenError('ended a stream before its answer was finished')
    if (this.#usage === undefined) throw makeBrokenError('sent no token counts although stream_options asked for them')
    return [{ type: 'finish', usage: this.#usage }]
  }
}

/** Choices become places of a list, so that one far beyond those asked for would be all there is room for. Some servers do not number the first. */
function indexOf({ index }: ChunkChoice, choices: number): number {
  const place: unknown = index ?? 0
  if (typeof place !== 'number' || !Number.isInteger(place) || place < 0 || place >= choices)
    throw makeBrokenError('sent a choice that was not asked for')
  return place
}

/** What a choice says: a piece of a message, or the whole of one, whose calls have no numbers. */
function messageOf({ delta, message }: ChunkChoice): ChunkMessage {
  if (delta !== undefined || message === undefined) return delta ?? {}
  return { ...message, tool_calls: message.tool_calls?.map((call, index) => ({ ...call, index })) ?? [] }
}

function decodeChoice(
  spoken: ChunkChoice,
  { index: choice, calls }: { readonly index: number; readonly calls: ToolCalls },
): readonly TextPart[] {
  const parts: TextPart[] = []
  const { text, logprobs } = spoken
  const message = messageOf(spoken)
  const thoughts = textOf(message.reasoning_content ?? message.reasoning)
  if (thoughts) parts.push({ type: 'thoughts', choice, text: thoughts })
  const content = textOf(text ?? message.content ?? message.refusal)
  if (content || (content === '' && (logprobs?.content?.length || logprobs?.tokens?.length))) {
    const tokens = logprobs?.content?.map(decodeLogprob)
    const scored = decodeCompletionLogprobs(logprobs ?? {})
    parts.push({ type: 'text', choice, text: content, ...(tokens && { logprobs: tokens }), ...scored })
  }
  for (const call of message.tool_calls ?? []) parts.push(...calls.add(choice, call))
  return parts
}

interface KnownCall {
  readonly index: number
  /** What the server calls it; undefined = nothing. */
  readonly id: string | undefined
}

/** The tool calls of each choice, numbered as they come: what numbers the server gives them is its own affair. */
class ToolCalls {
  readonly #byChoice = new Map<number, { readonly known: Map<number, KnownCall>; count: number }>()

  add(choice: number, { index: number, id: called, function: what }: ChunkToolCall): readonly TextPart[] {
    const theirs = number ?? 0
    if (typeof theirs !== 'number') throw makeBrokenError('sent a tool call without a number')
    const calls = this.#byChoice.get(choice) ?? { known: new Map<number, KnownCall>(), count: 0 }
    this.#byChoice.set(choice, calls)
    const [name, id, fragment] = [textOf(what?.name), textOf(called), textOf(what?.arguments)]
    const parts: TextPart[] = []
    let call = calls.known.get(theirs)
    if (name && (call === undefined || isAnother(call, id))) {
      call = { index: calls.count++, id }
      calls.known.set(theirs, call)
      parts.push({ type: 'tool-call', choice, index: call.index, id: id ?? `call_${theirs}`, name })
    }
    if (call !== undefined && fragment) parts.push({ type: 'tool-arguments', choice, index: call.index, fragment })
    return parts
  }
}

/** Ollama gives every call the number 0, and some servers none at all: then only the ids tell them apart. */
function isAnother(call: KnownCall, id: string | undefined): boolean {
  return Boolean(id && call.id) && id !== call.id
}

/** A text, or nothing; a server may send anything in its place. */
function textOf(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'string') throw makeBrokenError('sent something else than a text where its interface has one')
  return value
}

/** The end of a choice, the first time that it is told. */
function decodeEnd(
  { finish_reason: reason, stop_reason: stop }: ChunkChoice,
  { index: choice, open }: { readonly index: number; readonly open: Set<number> },
): readonly TextPart[] {
  if (!textOf(reason) || !open.delete(choice)) return []
  return [{ type: 'choice-finish', choice, reason: decodeReason(reason), ...(typeof stop === 'string' && { stop }) }]
}

/** The same of a plain completion, whose tokens have no bytes of their own. */
function decodeCompletionLogprobs({
  tokens,
  token_logprobs: scores = [],
  top_logprobs: top,
}: Partial<CompletionLogprobs>): Partial<Pick<Extract<TextPart, { type: 'text' }>, 'logprobs' | 'unscored'>> {
  if (tokens === undefined) return {}
  const logprobs = tokens.flatMap((token, index) => {
    const logprob = scores[index]
    const others = Object.entries(top?.[index] ?? {}).map(([other, score]) => ({ ...nameToken(other), logprob: numberOf(score) }))
    return typeof logprob === 'number' ? [{ ...nameToken(token), logprob, top: others }] : []
  })
  const [first] = tokens
  return { logprobs, ...(first !== undefined && scores[0] === null && { unscored: nameToken(first) }) }
}

/** @throws {ServiceError} `inference_failed` where the server gave up before the end, which no client could tell from an answer. */
function decodeReason(reason: string | null | undefined): FinishReason {
  if (reason === 'abort' || reason === 'error') throw makeToldError(`ended an answer with ${reason}`)
  return reason === 'length' || reason === 'tool_calls' ? reason : 'stop'
}

function decodeUsage(usage: ChunkUsage | null | undefined): TokenUsage | undefined {
  if (usage?.prompt_tokens === undefined) return undefined
  const thoughtTokens = countOf(usage.completion_tokens_details?.reasoning_tokens)
  return {
    promptTokens: countOf(usage.prompt_tokens),
    completionTokens: countOf(usage.completion_tokens),
    cachedTokens: countOf(usage.prompt_tokens_details?.cached_tokens),
    ...(thoughtTokens > 0 && { thoughtTokens }),
  }
}

function decodeLogprob(entry: ChunkLogprob): TokenLogprob {
  return { ...decodeScored(entry), top: (entry.top_logprobs ?? []).map(decodeScored) }
}

/** What is too small for a number comes as null; OpenAI and vLLM say this instead. */
const leastLogprob = -9999

function decodeScored({ token, logprob, bytes }: ChunkLogprob): Omit<TokenLogprob, 'top'> {
  const named = nameToken(token)
  return { token: named.token, logprob: numberOf(logprob ?? leastLogprob), bytes: bytes ? bytes.map(byteOf) : named.bytes }
}

function nameToken(token: unknown): { readonly token: string; readonly bytes: readonly number[] } {
  const text = textOf(token)
  if (text === undefined) throw makeBrokenError('sent a token without a text')
  return { token: text, bytes: [...Buffer.from(text)] }
}

function numberOf(value: unknown): number {
  if (typeof value !== 'number') throw makeBrokenError('sent a log probability that is no number')
  return value
}

function byteOf(value: unknown): number {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0 || value > 255) throw makeBrokenError('sent a byte that is none')
  return value
}
