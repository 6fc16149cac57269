import type { Turn } from '../../../../../core/chat/conversation.ts'
import { textOf } from '../message-text.ts'

/** What messages take of a model's context. */
export interface ContextUse {
  readonly tokens: number
  /** Whether they were not counted by the model itself. */
  readonly isEstimate: boolean
}

/** Of most models and languages of Latin letters. */
const usualCharactersPerToken = 4
/** What a message's beginning and end take. */
const tokensPerMessage = 4
/** What a picture takes, of most models that look at pictures. */
const tokensPerPicture = 1000
/** The part of the context that is kept when the oldest messages are left out. */
const keptPart = 0.5

/** The messages that the model reads: those from a certain one on; all where it is not among them. */
export function countedTurns(path: readonly Turn[], countsFrom: string | null): readonly Turn[] {
  return path.slice(
    Math.max(
      0,
      path.findIndex(({ id }) => id === countsFrom),
    ),
  )
}

interface Besides {
  readonly system?: string
  /** What is about to be said. */
  readonly draft?: string
}

/** Tokens that the next request takes, of which the messages on a path from a certain one on are a part. */
export function contextUse(path: readonly Turn[], countsFrom: string | null, { system = '', draft = '' }: Besides = {}): ContextUse {
  const counted = countedTurns(path, countsFrom)
  const perToken = charactersPerToken(path)
  // What was counted before messages were left out holds them too.
  const last = counted.length === path.length ? counted.findLastIndex(({ facts }) => facts !== null) : -1
  const { promptTokens = 0, completionTokens = 0 } = counted[last]?.facts ?? {}
  const later = counted.slice(last + 1).filter(({ state }) => state !== 'writing')
  const estimated =
    sum(later.map((turn) => tokensOf(turn, perToken))) + Math.ceil((draft.length + (last < 0 ? system.length : 0)) / perToken)
  return { tokens: promptTokens + completionTokens + estimated, isEstimate: estimated > 0 }
}

/** The message from which on a conversation takes half of the context; the last that a person said where all are longer. */
export function leaveOutOldest(path: readonly Turn[], contextLength: number): string | null {
  const perToken = charactersPerToken(path)
  const said = path.findLast(({ role }) => role === 'user')
  let room = contextLength * keptPart
  const first = path.findLastIndex((turn) => {
    room -= tokensOf(turn, perToken)
    return room < 0
  })
  return (path.slice(first + 1).find(({ role }) => role === 'user') ?? said)?.id ?? null
}

function tokensOf(turn: Turn, perToken: number): number {
  const pictures = (turn.pictures?.length ?? 0) * tokensPerPicture
  return tokensPerMessage + pictures + (turn.facts?.completionTokens ?? Math.ceil(textOf(turn).length / perToken))
}

/** As the answers say that were counted. */
function charactersPerToken(path: readonly Turn[]): number {
  const answers = path.filter(({ facts, content }) => facts !== null && content !== '')
  const tokens = sum(answers.map(({ facts }) => facts?.completionTokens ?? 0))
  const characters = sum(answers.map(({ content, thoughts = '' }) => content.length + thoughts.length))
  return tokens > 20 ? Math.max(0.5, characters / tokens) : usualCharactersPerToken
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0)
}
