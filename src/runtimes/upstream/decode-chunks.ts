import type { FinishReason, TextPart, TokenLogprob, TokenUsage } from '../../core/text-generation.ts'
import { type ChunkChoice, type ChunkLogprob, type ChunkUsage, type CompletionLogprobs, parseChunk } from './chunk.ts'
import { makeBrokenError, readShaped } from './upstream-error.ts'

/**
 * Turns the data lines of an upstream's stream into parts.
 *
 * @throws {ServiceError} `inference_failed` when the stream ends early, reports an error, or brings no token counts.
 */
export async function* decodeChunks(lines: AsyncIterable<string>, choices: number): AsyncGenerator<TextPart, void, undefined> {
  const open = new Set(Array.from({ length: choices }, (_, index) => index))
  const announced = new Set<string>()
  let usage: TokenUsage | undefined
  for await (const line of lines) {
    if (line === '[DONE]') break
    const chunk = parseChunk(line)
    if (chunk === undefined) throw makeBrokenError('sent something else than JSON in its stream')
    if (chunk.error !== undefined) throw makeBrokenError('reported an error in its stream')
    usage = readShaped(() => decodeUsage(chunk.usage)) ?? usage
    yield* readShaped(() =>
      [...(chunk.choices ?? [])].flatMap((choice) => [...decodeChoice(choice, announced), ...decodeEnd(choice, open)]),
    )
  }
  if (open.size > 0) throw makeBrokenError('ended a stream before its answer was finished')
  if (usage === undefined) throw makeBrokenError('sent no token counts although stream_options asked for them')
  yield { type: 'finish', usage }
}

function* decodeChoice({ index: choice = 0, text, delta, logprobs }: ChunkChoice, announced: Set<string>): Generator<TextPart> {
  const thoughts = delta?.reasoning_content ?? delta?.reasoning
  if (thoughts) yield { type: 'thoughts', choice, text: thoughts }
  const content = text ?? delta?.content
  if (content) {
    const tokens = logprobs?.content?.map(decodeLogprob)
    yield { type: 'text', choice, text: content, ...(tokens && { logprobs: tokens }), ...decodeCompletionLogprobs(logprobs ?? {}) }
  }
  for (const call of delta?.tool_calls ?? []) {
    const index = call.index ?? 0
    const key = `${choice} ${index}`
    if (!announced.has(key) && call.function?.name) {
      announced.add(key)
      yield { type: 'tool-call', choice, index, id: call.id ?? `call_${index}`, name: call.function.name }
    }
    if (call.function?.arguments) yield { type: 'tool-arguments', choice, index, fragment: call.function.arguments }
  }
}

/** The end of a choice, the first time that it is told. */
function decodeEnd({ index: choice = 0, finish_reason: reason, stop_reason: stop }: ChunkChoice, open: Set<number>): readonly TextPart[] {
  if (!reason || !open.delete(choice)) return []
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

function decodeReason(reason: string): FinishReason {
  return reason === 'length' || reason === 'tool_calls' ? reason : 'stop'
}

function decodeUsage(usage: ChunkUsage | null | undefined): TokenUsage | undefined {
  if (usage?.prompt_tokens === undefined) return undefined
  const thoughtTokens = usage.completion_tokens_details?.reasoning_tokens ?? 0
  return {
    promptTokens: usage.prompt_tokens,
    completionTokens: usage.completion_tokens ?? 0,
    cachedTokens: usage.prompt_tokens_details?.cached_tokens ?? 0,
    ...(thoughtTokens > 0 && { thoughtTokens }),
  }
}

function decodeLogprob(entry: ChunkLogprob): TokenLogprob {
  const decode = ({ token, logprob, bytes }: ChunkLogprob) => ({ token, logprob, bytes: bytes ?? [...Buffer.from(token)] })
  return { ...decode(entry), top: (entry.top_logprobs ?? []).map(decode) }
}
