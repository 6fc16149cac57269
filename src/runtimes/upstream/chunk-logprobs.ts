import type { TextPart, TokenLogprob } from '../../core/text-generation.ts'
import type { ChunkChoice, ChunkLogprob, CompletionLogprobs } from './chunk.ts'
import { textOf } from './chunk-texts.ts'
import { makeBrokenError } from './upstream-error.ts'

type Scores = Partial<Pick<Extract<TextPart, { type: 'text' }>, 'logprobs' | 'unscored'>>

/** Log probabilities of a text's tokens, if the server reports them. */
export function scoresOf(logprobs: ChunkChoice['logprobs']): Scores {
  const tokens = logprobs?.content?.map(decodeLogprob)
  return { ...(tokens && { logprobs: tokens }), ...decodeCompletionLogprobs(logprobs ?? {}) }
}

/** Log probabilities of a plain completion, whose tokens come without bytes. */
function decodeCompletionLogprobs({ tokens, token_logprobs: scores = [], top_logprobs: top }: Partial<CompletionLogprobs>): Scores {
  if (tokens === undefined) return {}
  const logprobs = tokens.flatMap((token, index) => {
    const logprob = scores[index]
    const others = Object.entries(top?.[index] ?? {}).map(([other, score]) => ({ ...nameToken(other), logprob: numberOf(score) }))
    return typeof logprob === 'number' ? [{ ...nameToken(token), logprob, top: others }] : []
  })
  const [first] = tokens
  return { logprobs, ...(first !== undefined && scores[0] === null && { unscored: nameToken(first) }) }
}

function decodeLogprob(entry: ChunkLogprob): TokenLogprob {
  return { ...decodeScored(entry), top: (entry.top_logprobs ?? []).map(decodeScored) }
}

/** Stands for null, which some servers send for -∞; OpenAI and vLLM send this value. */
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
