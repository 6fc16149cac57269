import type { FinishReason, TextPart, TokenLogprob, TokenUsage } from '../../core/text-generation.ts'
import { type ChunkChoice, type ChunkLogprob, type ChunkToolCall, type ChunkUsage, type CompletionLogprobs, parseChunk } from './chunk.ts'
import type { StreamDecoder } from './stream-decoder.ts'
import { makeBrokenError, readShaped } from './upstream-error.ts'

/** Reads the streams of servers with OpenAI's interface. */
export class ChunkDecoder implements StreamDecoder {
  readonly #choices: number
  readonly #open: Set<number>
  readonly #calls = new ToolCalls()
  #usage: TokenUsage | undefined

  /** @param choices How many were asked for. */
  constructor(choices: number) {
    this.#choices = choices
    this.#open = new Set(new Array(choices).keys())
  }

  decode(line: string): readonly TextPart[] {
    if (line === '[DONE]') return this.end()
    const chunk = parseChunk(line)
    if (chunk === undefined) throw makeBrokenError('sent something else than JSON in its stream')
    if (chunk.error !== undefined) throw makeBrokenError('reported an error in its stream')
    return readShaped(() => {
      this.#usage = decodeUsage(chunk.usage) ?? this.#usage
      const parts: TextPart[] = []
      for (const choice of chunk.choices ?? []) {
        checkIndex(choice.index, this.#choices)
        parts.push(...decodeChoice(choice, this.#calls), ...decodeEnd(choice, this.#open))
      }
      return parts
    })
  }

  end(): readonly TextPart[] {
    if (this.#open.size > 0) throw makeBrokenError('ended a stream before its answer was finished')
    if (this.#usage === undefined) throw makeBrokenError('sent no token counts although stream_options asked for them')
    return [{ type: 'finish', usage: this.#usage }]
  }
}

/** Choices become places of a list, so that one far beyond those asked for would be all there is room for. */
function checkIndex(index: unknown = 0, choices: number): void {
  if (typeof index !== 'number' || !Number.isInteger(index) || index < 0 || index >= choices)
    throw makeBrokenError('sent a choice that was not asked for')
}

function decodeChoice({ index: choice = 0, text, delta, logprobs }: ChunkChoice, calls: ToolCalls): readonly TextPart[] {
  const parts: TextPart[] = []
  const thoughts = textOf(delta?.reasoning_content ?? delta?.reasoning)
  if (thoughts) parts.push({ type: 'thoughts', choice, text: thoughts })
  const content = textOf(text ?? delta?.content)
  if (content) {
    const tokens = logprobs?.content?.map(decodeLogprob)
    const scored = decodeCompletionLogprobs(logprobs ?? {})
    parts.push({ type: 'text', choice, text: content, ...(tokens && { logprobs: tokens }), ...scored })
  }
  for (const call of delta?.tool_calls ?? []) parts.push(...calls.add(choice, call))
  return parts
}

/** The tool calls of each choice, numbered as they come: what numbers the server gives them is its own affair. */
class ToolCalls {
  readonly #byChoice = new Map<number, Map<number, number>>()

  add(choice: number, { index: theirs = 0, id, function: called }: ChunkToolCall): readonly TextPart[] {
    const parts: TextPart[] = []
    if (typeof theirs !== 'number') throw makeBrokenError('sent a tool call without a number')
    const known = this.#byChoice.get(choice) ?? new Map<number, number>()
    this.#byChoice.set(choice, known)
    const name = textOf(called?.name)
    if (!known.has(theirs) && name) {
      known.set(theirs, known.size)
      parts.push({ type: 'tool-call', choice, index: known.size - 1, id: textOf(id) ?? `call_${theirs}`, name })
    }
    const index = known.get(theirs)
    const fragment = textOf(called?.arguments)
    if (index !== undefined && fragment) parts.push({ type: 'tool-arguments', choice, index, fragment })
    return parts
  }
}

/** A text, or nothing; a server may send anything in its place. */
function textOf(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'string') throw makeBrokenError('sent something else than a text where its interface has one')
  return value
}

/** The end of a choice, the first time that it is told. */
function decodeEnd({ index: choice = 0, finish_reason: reason, stop_reason: stop }: ChunkChoice, open: Set<number>): readonly TextPart[] {
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
  const named = (token: string) => ({ token, bytes: [...Buffer.from(token)] })
  const logprobs = tokens.flatMap((token, index) => {
    const logprob = scores[index]
    const others = Object.entries(top?.[index] ?? {}).map(([other, logprob]) => ({ ...named(other), logprob }))
    return typeof logprob === 'number' ? [{ ...named(token), logprob, top: others }] : []
  })
  const [first] = tokens
  return { logprobs, ...(first !== undefined && scores[0] === null && { unscored: named(first) }) }
}

function decodeReason(reason: string | null | undefined): FinishReason {
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

/** More than any answer has: what one server says once must not empty a budget for ever. */
const mostTokens = 2 ** 30

/** A number of tokens; it goes into books and budgets, where a wrong one would stay. */
function countOf(value: unknown): number {
  if (value === undefined || value === null) return 0
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0 || value > mostTokens)
    throw makeBrokenError('counted tokens in something else than whole numbers')
  return value
}

function decodeLogprob(entry: ChunkLogprob): TokenLogprob {
  const decode = ({ token, logprob, bytes }: ChunkLogprob) => ({ token, logprob, bytes: bytes ?? [...Buffer.from(token)] })
  return { ...decode(entry), top: (entry.top_logprobs ?? []).map(decode) }
}
