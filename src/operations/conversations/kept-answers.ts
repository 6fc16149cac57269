import { type AnswerPlace, continuedFacts, type Turn } from '../../core/chat/conversation.ts'
import { defined } from '../../core/defined.ts'
import { type ErrorRecord, isMistake, ServiceError } from '../../core/error.ts'
import type { Inference, Outcome } from '../../core/inference.ts'
import type { Clock } from '../../core/ports/clock.ts'
import type { InferenceLog } from '../../core/ports/inference-log.ts'
import type { WrittenPart } from '../../core/text/visible-text.ts'
import type { ToolCall } from '../../core/text-generation.ts'
import type { Abortable } from '../../core/waiting.ts'
import type { DocumentDependencies } from '../account-documents.ts'
import type { WrittenText } from '../deferred/inference-events.ts'
import {
  type ConversationTarget,
  changeTurn,
  conversationNotFound,
  findTurn,
  noteChange,
  type TurnTarget,
} from './conversation-documents.ts'
import { unlessRemoved } from './remove-conversation.ts'

/** An answer in a stored conversation and the request that writes it. */
export interface WrittenAnswer {
  readonly inference: Pick<Inference, 'id' | 'accountId' | 'model' | 'createdAt'>
  readonly place: AnswerPlace
}

/** Dependencies of changes that depend on whether a request still writes an answer. */
export interface AnswerDependencies extends DocumentDependencies {
  readonly clock: Clock
  readonly log: Pick<InferenceLog, 'find'>
}

/**
 * Records that a request writes an answer, or continues one, so that every open page can follow it. Waits a moment until what an earlier
 * request wrote is stored, which a person may have stopped just now.
 *
 * @throws {ServiceError} `quota_exceeded`, `not_found` if the conversation was removed, `server_is_overloaded` if the earlier request goes on.
 */
export async function beginAnswer(deps: AnswerDependencies, answer: WrittenAnswer, options: Abortable): Promise<void> {
  await untilEarlierStored(deps, answer, options)
  const begin = () =>
    changeTurn(deps, turnOf(answer), options, async (known) => {
      if (known?.inference === answer.inference.id) return null
      if (known !== null && (await isWrittenByOther(deps, answer, known, options))) throw stillWritten()
      return { ...withoutFailure(known ?? emptyTurn(deps, answer)), state: 'writing', inference: answer.inference.id }
    })
  if (!(await unlessRemoved(deps, targetOf(answer), options, begin))) throw conversationNotFound()
}

/** The end of an answer and its text. */
export interface AnswerEnding {
  readonly outcome: Outcome
  readonly error: ErrorRecord | null
  /** null = nothing was written. */
  readonly written: WrittenText | null
}

/** Stores what a request has written once it has ended. Skips an answer that was removed or now belongs to a later request. */
export async function endAnswer(deps: AnswerDependencies, answer: WrittenAnswer, ending: AnswerEnding, options: Abortable): Promise<void> {
  await untilEarlierStored(deps, answer, options)
  const { id } = answer.inference
  let isRepeated = false
  const end = () =>
    changeTurn(deps, turnOf(answer), options, async (known) => {
      // A request may end before its start is recorded, and a cancelled one after its message was removed.
      if (known === null) return ending.outcome === 'cancelled' ? null : endedTurn(emptyTurn(deps, answer), answer, ending)
      const { state, inference = state === 'writing' ? id : undefined } = known
      isRepeated = inference === id && state !== 'writing'
      if (inference === undefined || inference > id || isRepeated) return null
      return (await isWrittenByOther(deps, answer, known, options)) ? null : endedTurn(known, answer, ending)
    })
  await unlessRemoved(deps, targetOf(answer), options, end)
  // An earlier try may have stored it and then failed.
  if (isRepeated) await noteChange(deps, targetOf(answer), options)
}

/** The error for a change of a message that a request still writes. */
export function stillWritten(): ServiceError {
  return new ServiceError('server_is_overloaded', 'This answer is still being written; the change is stored when its request has ended.', {
    retryAfterSeconds: 5,
  })
}

/** Waits until the text of an earlier request for the same message is stored. */
async function untilEarlierStored(deps: AnswerDependencies, answer: WrittenAnswer, options: Abortable): Promise<void> {
  await untilStored(deps, turnOf(answer), options, (known) => isWrittenByOther(deps, answer, known, options))
}

async function isWrittenByOther(deps: AnswerDependencies, { inference }: WrittenAnswer, known: Turn, options: Abortable): Promise<boolean> {
  return known.inference !== inference.id && (await stageOf(deps, inference, known, options)) !== 'stored'
}

/** The first and the longest pause between looks whether an answer is stored, in milliseconds. */
const pollMs = { first: 20, longest: 250 }
/** The longest time to wait until an answer is stored, in milliseconds. */
const longestWaitMs = 5000
/** The time in which the service stores the text of a stopped or failed request after its end, in milliseconds. */
const storingMs = 2000

/** Waits while a condition on a message holds, at most a few seconds. */
export async function untilStored(
  deps: AnswerDependencies,
  target: TurnTarget,
  options: Abortable,
  isAwaited: (known: Turn) => Promise<boolean>,
): Promise<void> {
  let pause = pollMs.first
  for (let waited = 0; waited < longestWaitMs; waited += pause) {
    const known = await findTurn(deps, target, options)
    if (known === null || !(await isAwaited(known))) return
    await deps.clock.wait(pause, options)
    pause = Math.min(2 * pause, pollMs.longest)
  }
}

/**
 * Whether a request still writes a message, or has ended so that the service is about to store its text; `stored` = the service will store
 * nothing more.
 */
export async function stageOf(
  { clock, log }: AnswerDependencies,
  { accountId }: Pick<ConversationTarget, 'accountId'>,
  { state, inference }: Turn,
  options: Abortable,
): Promise<'writing' | 'ending' | 'stored'> {
  if (state !== 'writing' || inference === undefined) return 'stored'
  const found = await log.find(inference, accountId, options)
  if (found === null) return 'stored'
  if (found.completedAt === null) return 'writing'
  // The text of a success is stored before it ends, and no worker stores that of a request that none has claimed.
  if (found.outcome === 'succeeded' || found.attempt === 0) return 'stored'
  return clock.now() < found.completedAt + storingMs ? 'ending' : 'stored'
}

function turnOf(answer: WrittenAnswer): TurnTarget {
  return { ...targetOf(answer), turnId: answer.place.turn }
}

function targetOf({ inference, place }: WrittenAnswer): ConversationTarget {
  return { accountId: inference.accountId, id: place.conversation }
}

function emptyTurn({ clock }: DocumentDependencies, { inference, place }: WrittenAnswer): Turn {
  const { turn: id, parent } = place
  const empty = { role: 'assistant', content: '', files: [], state: 'writing', failure: null, facts: null } as const
  return { id, parent, ...empty, model: inference.model, at: clock.now() }
}

function withoutFailure({ failureLanguage: _, requestId: __, cause: ___, schemaFaults: ____, ...turn }: Turn): Turn {
  return { ...turn, failure: null }
}

function endedTurn(known: Turn, answer: WrittenAnswer, ending: AnswerEnding): Turn {
  return { ...withoutFailure(known), ...fieldsOf(known, answer, ending), inference: answer.inference.id }
}

function fieldsOf(known: Turn, { inference }: WrittenAnswer, { outcome, error, written }: AnswerEnding): Partial<Turn> {
  const parts = written?.parts ?? []
  const thoughts = (known.thoughts ?? '') + textOf(parts, 'thoughts')
  const calls = callsOf(parts)
  const usage = parts.findLast((part) => part.type === 'finish')?.usage
  const { firstAt = 0, lastAt = 0 } = written ?? {}
  const times = { firstTextMs: firstAt - inference.createdAt, writingMs: lastAt - firstAt }
  return {
    content: known.content + textOf(parts, 'text'),
    ...(thoughts !== '' && { thoughts }),
    ...(calls.length > 0 && { calls }),
    ...(usage && {
      facts: continuedFacts(known.facts, {
        promptTokens: usage.promptTokens,
        completionTokens: usage.completionTokens,
        ...times,
      }),
    }),
    ...(outcome === 'succeeded' && { state: parts.some(isCut) ? 'cut' : 'done' }),
    ...(outcome === 'cancelled' && { state: 'stopped' }),
    ...(outcome === 'failed' && {
      state: 'failed',
      failure: error?.message ?? null,
      failureLanguage: 'en',
      ...defined({ cause: error?.cause }),
    }),
    ...(outcome === 'failed' && !isMistake(error) && { requestId: inference.id }),
  }
}

function textOf(parts: readonly WrittenPart[], type: 'text' | 'thoughts'): string {
  return parts.map((part) => (part.type === type && part.choice === 0 ? part.text : '')).join('')
}

function callsOf(parts: readonly WrittenPart[]): readonly ToolCall[] {
  return parts.flatMap((part) => {
    if (part.type !== 'tool-call' || part.choice !== 0) return []
    const fragments = parts.map((each) => (each.type === 'tool-arguments' && each.index === part.index ? each.fragment : ''))
    return [{ id: part.id, name: part.name, arguments: fragments.join('') }]
  })
}

function isCut(part: WrittenPart): boolean {
  return part.type === 'choice-finish' && part.reason === 'length'
}
