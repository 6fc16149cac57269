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
  turnKey,
} from './conversation-documents.ts'
import { type AnswerDependencies, stageOf, untilStored } from './kept-answers.ts'
import { removeConversation, wasRemoved } from './remove-conversation.ts'

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
  await unlessRemoved(deps, target, options, () =>
    changeHead(deps, target, options, (known) => {
      if (known?.label === removedLabel) throw conversationNotFound()
      const { countsFrom: start, ...kept }: Partial<ConversationHead> = known === null ? { leaf: null } : readHead(known)
      const { title, pinned, leaf, settings, countsFrom = change.settings ? undefined : start } = { ...kept, ...change }
      if (title === undefined || pinned === undefined || leaf === undefined) throw conversationNotFound()
      const document = headDocument(target, { title, pinned, leaf, ...defined({ settings, countsFrom }) }, at)
      return known?.label === archivedLabel ? { ...document, label: archivedLabel } : document
    }),
  )
}

/**
 * Stores one message of a conversation, new or changed. Of a message that a request has written or still writes, a page changes only the
 * results of its calls and its violations of the schema: what the page knows of the rest may be older.
 *
 * @throws {ServiceError} `quota_exceeded`, `not_found` if the conversation was removed or the id belongs to another account.
 */
export async function keepTurn(
  deps: AnswerDependencies,
  { turn, ...target }: ConversationTarget & { readonly turn: Turn },
  options: Abortable,
): Promise<void> {
  const place = { ...target, turnId: turn.id }
  const stage = (known: Turn) => stageOf(deps, target, known, options)
  // Its page has cancelled the request of a stopped answer.
  const awaited = turn.state === 'stopped' ? ['writing', 'ending'] : ['ending']
  if (turn.state !== 'writing') await untilStored(deps, place, options, async (known) => awaited.includes(await stage(known)))
  await unlessRemoved(deps, target, options, () =>
    changeTurn(deps, place, options, async (known) => {
      if (known === null) return turn
      // A page may report that an answer begins although the service has already stored more of it.
      if (turn.state === 'writing') return null
      // The ids of requests are in the order of their submission.
      if (known.inference === undefined || (turn.inference ?? '') > known.inference) return turn
      return known.state === 'writing' && (await stage(known)) === 'stored' ? turn : withNotes(known, turn)
    }),
  )
}

/** @returns null if nothing changes. */
function withNotes(known: Turn, { inference, calls, schemaFaults }: Turn): Turn | null {
  if (inference !== known.inference || (calls === undefined && schemaFaults === undefined)) return null
  return { ...known, ...defined({ calls, schemaFaults }) }
}

async function unlessRemoved(
  deps: DocumentDependencies,
  target: ConversationTarget,
  options: Abortable,
  write: () => Promise<unknown>,
): Promise<void> {
  if (await wasRemoved(deps, target, options)) throw conversationNotFound()
  await write()
  if (!(await wasRemoved(deps, target, options))) return
  // The conversation was removed between the two writes, so remove the new message too.
  await removeConversation(deps, target, options)
  throw conversationNotFound()
}

/** Deletes one message; the messages after it are deleted with the conversation. */
export async function removeTurn(
  deps: DocumentDependencies,
  { turnId, ...target }: ConversationTarget & { readonly turnId: string },
  options: Abortable,
): Promise<void> {
  await deps.documents.remove(turnKey({ ...target, turnId }), options)
  await noteChange(deps, target, options)
}
