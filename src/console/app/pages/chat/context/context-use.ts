import type { Turn } from '../../../../../core/chat/conversation.ts'
import { tokensPerPicture } from '../../../../../core/text/prompt-texts.ts'
import { textOf } from '../message-text.ts'
import { estimateTokens } from './estimate-tokens.ts'

/** Tokens of messages in a model's context. */
export interface ContextUse {
  readonly tokens: number
  /** Whether the model has not counted them itself. */
  readonly isEstimate: boolean
}

/** Answers with fewer counted tokens say little about the estimates. */
const leastCounted = 20
/** Hidden reasoning is counted but not shown, which must not multiply the estimates of messages. */
const maxCorrection = 2
/** Tokens at a message's beginning and end. */
const tokensPerMessage = 4
/** Share of the context that stays in use when the oldest messages are left out. */
const keptPart = 0.5

/** The messages that the model reads: from this one on, or all if it is not among them. */
export function countedTurns(path: readonly Turn[], countsFrom: string | null): readonly Turn[] {
  return path.slice(
    Math.max(
      0,
      path.findIndex(({ id }) => id === countsFrom),
    ),
  )
}

interface Besides extends Partial<Pick<Turn, 'files' | 'pictures'>> {
  readonly system?: string
  /** The text in the field. */
  readonly draft?: string
}

/** Tokens of the next request: the messages on a path from a certain one on, and the draft. */
export function contextUse(
  path: readonly Turn[],
  countsFrom: string | null,
  { system = '', draft = '', files = [], pictures = [] }: Besides = {},
): ContextUse {
  const counted = countedTurns(path, countsFrom)
  const correction = correctionOf(path)
  // Counts from before messages were left out include them.
  const last = counted.length === path.length ? counted.findLastIndex(({ facts }) => facts !== null) : -1
  const { promptTokens = 0, completionTokens = 0 } = counted[last]?.facts ?? {}
  const later = counted.slice(last + 1)
  const texts = [draft, ...(last < 0 ? [system] : []), ...files.map(({ text }) => text)]
  const estimated =
    sum(later.map((turn) => tokensOf(turn, correction))) +
    Math.ceil(sum(texts.map(estimateTokens)) * correction) +
    pictures.length * tokensPerPicture
  return { tokens: promptTokens + completionTokens + estimated, isEstimate: estimated > 0 }
}

/** The message from which the conversation takes half of the context; the user's last message when all are longer. */
export function leaveOutOldest(path: readonly Turn[], contextLength: number): string | null {
  const correction = correctionOf(path)
  const said = path.findLast(({ role }) => role === 'user')
  let room = contextLength * keptPart
  const first = path.findLastIndex((turn) => {
    room -= tokensOf(turn, correction)
    return room < 0
  })
  return (path.slice(first + 1).find(({ role }) => role === 'user') ?? said)?.id ?? null
}

function tokensOf(turn: Turn, correction: number): number {
  const pictures = (turn.pictures?.length ?? 0) * tokensPerPicture
  return tokensPerMessage + pictures + (turn.facts?.completionTokens ?? Math.ceil(estimateOf(turn) * correction))
}

/**
 * The tokens that the model counted in its answers for each estimated one. It has no lower bound: a model with a large vocabulary needs far
 * fewer tokens than estimated for scripts other than Latin.
 */
function correctionOf(path: readonly Turn[]): number {
  const answers = path.filter(({ facts, content }) => facts !== null && content !== '')
  const tokens = sum(answers.map(({ facts }) => facts?.completionTokens ?? 0))
  return tokens < leastCounted ? 1 : Math.min(maxCorrection, tokens / sum(answers.map(estimateOf)))
}

/** The estimates of messages, all of which are needed at every keystroke. */
const known = new WeakMap<Turn, number>()

function estimateOf(turn: Turn): number {
  const { facts, content, thoughts = '' } = turn
  // Reasoning was counted with its answer, but is not sent again.
  const tokens = known.get(turn) ?? estimateTokens(facts === null ? textOf(turn) : thoughts + content)
  known.set(turn, tokens)
  return tokens
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0)
}
