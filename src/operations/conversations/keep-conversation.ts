import type { ConversationHead, Turn } from '../../core/chat/conversation.ts'
import { defined } from '../../core/defined.ts'
import type { Abortable } from '../../core/waiting.ts'
import type { DocumentDependencies } from '../account-documents.ts'
import {
  archivedLabel,
  type ConversationTarget,
  changeHead,
  changeTurn,
  conversationNotFound,
  headDocument,
  noteChange,
  readHead,
  removedLabel,
  type TurnTarget,
  turnKey,
} from './conversation-documents.ts'
import { type AnswerDependencies, stageOf, stillWritten, untilStored } from './kept-answers.ts'
import { unlessRemoved } from './remove-conversation.ts'

/**
 * Changes the title, position or settings of a conversation, or creates it with them. Absent fields stay; the start of the context belongs
 * to the settings.
 *
 * @throws {ServiceError} `quota_exceeded`, `not_found` if it was removed, the id belongs to another account, or too little is given to create it.
 */
export async function keepConversation(
  deps: DocumentDependencies,
  { change, ...target }: ConversationTarget & { readonly change: Partial<ConversationHead> },
  options: Abortable,
): Promise<void> {
  const at = deps.clock.now()
  const write = () =>
    changeHead(deps, target, options, (known) => {
      if (known?.label === removedLabel) throw conversationNotFound()
      const { countsFrom: start, ...kept }: Partial<ConversationHead> = known === null ? { leaf: null } : readHead(known)
      const { title, pinned, leaf, settings, countsFrom = change.settings ? undefined : start } = { ...kept, ...change }
      if (title === undefined || pinned === undefined || leaf === undefined) throw conversationNotFound()
      const document = headDocument(target, { title, pinned, leaf, ...defined({ settings, countsFrom }) }, at)
      return known?.label === archivedLabel ? { ...document, label: archivedLabel } : document
    })
  if (!(await unlessRemoved(deps, target, options, write))) throw conversationNotFound()
}

/**
 * Stores one message of a conversation, new or changed. Of a message that a request has written or still writes, a page changes only the
 * results of its calls and its violations of the schema; the page's version of the other fields may be outdated.
 *
 * @throws {ServiceError} `quota_exceeded`, `not_found` if the conversation was removed or the id belongs to another account,
 * `server_is_overloaded` if the message is still being written; the page tries again.
 */
export async function keepTurn(
  deps: AnswerDependencies,
  { turn, ...target }: ConversationTarget & { readonly turn: Turn },
  options: Abortable,
): Promise<void> {
  const place = { ...target, turnId: turn.id }
  const stage = (known: Turn) => stageOf(deps, target, known, options)
  // A page cancels the request before it reports an answer as stopped.
  const awaited = turn.state === 'stopped' ? ['writing', 'ending'] : ['ending']
  if (turn.inference !== undefined && turn.state !== 'writing')
    await untilStored(deps, place, options, async (known) => known.inference === turn.inference && awaited.includes(await stage(known)))
  const change = async (known: Turn | null): Promise<Turn | null> => {
    if (known === null) return turn
    // A page may report that an answer begins although the service has already stored more of it.
    if (turn.state === 'writing') return null
    // The ids of requests are in the order of their submission.
    if (known.inference === undefined || (turn.inference ?? '') > known.inference) return turn
    const isSame = turn.inference === known.inference
    if (known.state === 'writing' && (isSame || turn.inference === undefined) && (await stage(known)) === 'stored') return turn
    return isSame ? withNotes(known, turn) : null
  }
  if (!(await unlessRemoved(deps, target, options, () => changeTurn(deps, place, options, change)))) throw conversationNotFound()
}

/**
 * @returns null if nothing changes.
 * @throws {ServiceError} `server_is_overloaded`.
 */
function withNotes(known: Turn, { calls = [], schemaFaults }: Turn): Turn | null {
  // The page keeps its version until then: the request may end without a worker that stores the text.
  if (known.state === 'writing') throw stillWritten()
  const results = new Map(calls.map(({ id, result }) => [id, result]))
  if (schemaFaults === undefined && !calls.some(({ result }) => result !== undefined)) return null
  const answered = known.calls?.map((call) => ({ ...call, ...defined({ result: results.get(call.id) ?? call.result }) }))
  return { ...known, ...defined({ calls: answered, schemaFaults }) }
}

/** Deletes one message; the messages after it are deleted with the conversation. */
export async function removeTurn(deps: DocumentDependencies, target: TurnTarget, options: Abortable): Promise<void> {
  await deps.documents.remove(turnKey(target), options)
  await noteChange(deps, target, options)
}
