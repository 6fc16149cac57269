import { isRecord } from '../../core/json-value.ts'
import type { TextPart, TokenLogprob } from '../../core/text-generation.ts'
import type { ChunkChoice, ChunkLogprob, ChunkMessage, CompletionLogprobs } from './chunk.ts'
import { fieldOf, fieldsOf } from './field-of.ts'
import { makeBrokenError } from './upstream-error.ts'

/** Texts in one piece of a response: visible content, and reasoning. */
interface SpokenText {
  readonly type: 'text' | 'thoughts'
  readonly text: string
}

/** Maximum nesting of lists of parts. */
const deepest = 4

/** A string, or undefined if there is none. @throws {ServiceError} `inference_failed` for anything else. */
export function textOf(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'string') throw makeBrokenError('sent something other than text where text is expected')
  return value
}

/** A string or a number as a string; undefined for anything else. */
export function textIn(value: unknown): string | undefined {
  return typeof value === 'number' ? String(value) : typeof value === 'string' ? value : undefined
}

/**
 * The texts of a message in their order. Reasoning has three names, and Mistral's models send lists of parts with reasoning among them.
 *
 * @throws {ServiceError} `inference_failed` for content that is neither a string nor a list.
 */
export function textsOf({
  content,
  refusal,
  reasoning_content: thoughts,
  reasoning,
  reasoning_text: copilot,
}: ChunkMessage): readonly SpokenText[] {
  const thought = joinTexts(thoughts, deepest) || joinTexts(reasoning, deepest) || joinTexts(copilot, deepest)
  const said = Array.isArray(content) ? content.flatMap(partTexts) : [{ type: 'text' as const, text: wholeText(content ?? refusal) }]
  return thought === '' ? said : [{ type: 'thoughts', text: thought }, ...said]
}

/** @throws {ServiceError} `inference_failed` for what holds no text. */
function wholeText(value: unknown): string {
  return (isRecord(value) && joinTexts(value, deepest)) || (textIn(value) ?? textOf(value) ?? '')
}

function partTexts(part: unknown): readonly SpokenText[] {
  const kind = fieldOf(part, 'type')
  if (kind === 'thinking' || kind === 'reasoning') return [{ type: 'thoughts', text: joinTexts(part, deepest) }]
  return [{ type: 'text', text: joinTexts(part, deepest) }]
}

/** The texts in a string, a part or a list of parts, in any of the known fields. */
function joinTexts(value: unknown, depth: number): string {
  if (depth === 0 || value === undefined || value === null) return ''
  if (Array.isArray(value)) return value.map((part: unknown) => joinTexts(part, depth - 1)).join('')
  const { text, thinking, content, summary, refusal } = fieldsOf(value)
  return textIn(value) ?? joinTexts(text ?? thinking ?? content ?? summary ?? refusal, depth - 1)
}

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
const minLogprob = -9999

function decodeScored({ token, logprob, bytes }: ChunkLogprob): Omit<TokenLogprob, 'top'> {
  const named = nameToken(token)
  return { token: named.token, logprob: numberOf(logprob ?? minLogprob), bytes: bytes ? bytes.map(byteOf) : named.bytes }
}

function nameToken(token: unknown): { readonly token: string; readonly bytes: readonly number[] } {
  const text = textOf(token)
  if (text === undefined) throw makeBrokenError('sent a token without a text')
  return { token: text, bytes: [...Buffer.from(text)] }
}

function numberOf(value: unknown): number {
  if (typeof value !== 'number') throw makeBrokenError('sent a log probability that is not a number')
  return value
}

function byteOf(value: unknown): number {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0 || value > 255)
    throw makeBrokenError('sent a byte outside 0 to 255')
  return value
}
