import { type AnswerPlace, continuedFacts, type Turn } from '../../core/chat/conversation.ts'
import { defined } from '../../core/defined.ts'
import { type ErrorRecord, isMistake } from '../../core/error.ts'
import type { Inference, Outcome } from '../../core/inference.ts'
import type { Clock } from '../../core/ports/clock.ts'
import type { InferenceLog } from '../../core/ports/inference-log.ts'
import type { WrittenPart } from '../../core/text/visible-text.ts'
import type { ToolCall } from '../../core/text-generation.ts'
import type { Abortable } from '../../core/waiting.ts'
import type { DocumentDependencies } from '../account-documents.ts'
import type { WrittenText } from '../deferred/inference-events.ts'
import { type ConversationTarget, changeTurn, conversationNotFound, findTurn } from './conversation-documents.ts'
import { wasRemoved } from './remove-conversation.ts'

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
 * @throws {ServiceError} `quota_exceeded`, `not_found` if the conversation was removed.
 */
export async function beginAnswer(deps: AnswerDependencies, answer: WrittenAnswer, options: Abortable): Promise<void> {
  if (await wasRemoved(deps, targetOf(answer), options)) throw conversationNotFound()
  const isEarlier = ({ inference }: Turn) => inference !== answer.inference.id
  await untilStored(
    deps,
    turnOf(answer),
    options,
    async (known) => isEarlier(known) && (await stageOf(deps, answer.inference, known, options)) !== 'stored',
  )
  await changeTurn(deps, turnOf(answer), options, async (known) => {
    if (known?.inference === answer.inference.id) return null
    return { ...withoutFailure(known ?? emptyTurn(deps, answer)), state: 'writing', inference: answer.inference.id }
  })
}

/** The end of an answer and its text. */
export interface AnswerEnding {
  readonly outcome: Outcome
  readonly error: ErrorRecord | null
  /** null = nothing was written. */
  readonly written: WrittenText | null
}

/** Stores what a request has written once it has ended. Skips an answer that was removed or now belongs to another request. */
export async function endAnswer(
  deps: DocumentDependencies,
  answer: WrittenAnswer,
  ending: AnswerEnding,
  options: Abortable,
): Promise<void> {
  if (await wasRemoved(deps, targetOf(answer), options)) return
  await changeTurn(deps, turnOf(answer), options, (known) => {
    // A request may end before its start is recorded, and a cancelled one after its message was removed.
    if (known === null && ending.outcome === 'cancelled') return null
    if (known !== null && (known.state !== 'writing' || (known.inference ?? answer.inference.id) !== answer.inference.id)) return null
    return { ...(known ?? emptyTurn(deps, answer)), ...fieldsOf(known, answer, ending), inference: answer.inference.id }
  })
}

/** How often to look whether an answer is stored, in milliseconds. */
const pollMs = 20
/** The longest time to wait until an answer is stored, in milliseconds. */
const longestWaitMs = 5000
/** The time in which the service stores the text of a stopped or failed request after its end, in milliseconds. */
const storingMs = 2000

/** Waits while a condition on a message holds, at most a few seconds. */
export async function untilStored(
  deps: AnswerDependencies,
  target: ConversationTarget & { readonly turnId: string },
  options: Abortable,
  isAwaited: (known: Turn) => Promise<boolean>,
): Promise<void> {
  for (let waited = 0; waited < longestWaitMs; waited += pollMs) {
    const known = await findTurn(deps, target, options)
    if (known === null || !(await isAwaited(known))) return
    await deps.clock.wait(pollMs, options)
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

function turnOf(answer: WrittenAnswer): ConversationTarget & { readonly turnId: string } {
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

function fieldsOf(known: Turn | null, { inference }: WrittenAnswer, { outcome, error, written }: AnswerEnding): Partial<Turn> {
  const parts = written?.parts ?? []
  const thoughts = (known?.thoughts ?? '') + textOf(parts, 'thoughts')
  const calls = callsOf(parts)
  const usage = parts.findLast((part) => part.type === 'finish')?.usage
  const { firstAt = 0, lastAt = 0 } = written ?? {}
  const times = { firstTextMs: firstAt - inference.createdAt, writingMs: lastAt - firstAt }
  return {
    content: (known?.content ?? '') + textOf(parts, 'text'),
    ...(thoughts !== '' && { thoughts }),
    ...(calls.length > 0 && { calls }),
    ...(usage && {
      facts: continuedFacts(known?.facts ?? null, {
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
