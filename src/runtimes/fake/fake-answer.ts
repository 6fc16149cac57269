import type { FinishReason, TextRequest } from '../../core/text-generation.ts'
import { findAnswer } from './prompt-marker.ts'

const words = 'ink paper lamp river stone cloud bread garden window bridge winter letter silver forest anchor'.split(' ')

/** The tokens of one choice and its finish reason. */
export interface FakeAnswer {
  readonly tokens: readonly string[]
  readonly reason: FinishReason
  /** The stop string that ended it. */
  readonly stop?: string
}

/** All text of a request, joined by line breaks. */
export function readPrompt({ input }: TextRequest): string {
  if (input.type === 'prompt') return input.tokens?.map((token) => `word${token}`).join(' ') ?? input.prompt
  return input.messages.map((message) => message.content ?? '').join('\n')
}

/** Tokens as the fake model counts them: one per word. */
export function countTokens(text: string): number {
  return text.match(/\S+/g)?.length ?? 0
}

/** Plans an answer, deterministic for a prompt, seed and choice, cut by the token limit and stop strings. */
export function planAnswer(request: TextRequest, choice: number, length: number): FakeAnswer {
  const prompt = readPrompt(request)
  const { responseFormat } = request
  const said = responseFormat.type === 'choice' ? responseFormat.options.slice(0, 1) : findAnswer(prompt)?.match(/\s*\S+/g)
  const start = hash(`${prompt} ${request.sampling.seed} ${choice}`)
  const plain = said ?? Array.from({ length }, (_, index) => `${index === 0 ? '' : ' '}${words[(start + index) % words.length]}`)
  const tokens = request.responseFormat.type === 'json_object' ? ['{"answer": "', ...plain, '"}'] : plain
  const limit = request.maxTokens
  return cutAtStop({ tokens: tokens.slice(0, limit), reason: tokens.length > limit ? 'length' : 'stop' }, request.stop)
}

function cutAtStop(answer: FakeAnswer, stop: readonly string[]): FakeAnswer {
  const text = answer.tokens.join('')
  const found = stop.map((entry) => ({ entry, at: text.indexOf(entry) })).filter(({ at }) => at >= 0)
  const first = found.toSorted((one, other) => one.at - other.at)[0]
  if (first === undefined) return answer
  let left = first.at
  const tokens = answer.tokens.map((token) => {
    const kept = token.slice(0, left)
    left -= kept.length
    return kept
  })
  return { tokens: tokens.filter((token) => token !== ''), reason: 'stop', stop: first.entry }
}

/** FNV-1a, 32 bits. */
export function hash(text: string): number {
  let value = 0x811c9dc5
  for (let index = 0; index < text.length; index++) value = Math.imul(value ^ text.charCodeAt(index), 0x01000193) >>> 0
  return value
}
