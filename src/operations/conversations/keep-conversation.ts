import type { ConversationHead, Turn } from '../../core/chat/conversation.ts'
import { defined } from '../../core/defined.ts'
import type { Abortable } from '../../core/waiting.ts'
import type { DocumentDependencies } from '../account-documents.ts'
import {
  archivedLabel,
  type ConversationTarget,
  changeHead,
  conversationNotFound,
  headDocument,
  keep,
  noteChange,
  readHead,
  removedLabel,
  turnDocument,
} from './conversation-documents.ts'
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
 * Stores one message of a conversation, new or changed.
 *
 * @throws {ServiceError} `quota_exceeded`, `not_found` if the conversation was removed or the id belongs to another account.
 */
export async function keepTurn(
  deps: DocumentDependencies,
  { turn, ...target }: ConversationTarget & { readonly turn: Turn },
  options: Abortable,
): Promise<void> {
  const isNotice = turn.state === 'writing'
  const isThere = () => hasTurn(deps, { ...target, turnId: turn.id }, options)
  if (isNotice && (await isThere())) return
  await unlessRemoved(deps, target, options, async () => {
    const stored = await keep(deps, turnDocument(target, turn), { ...options, ...(isNotice && { version: null }) })
    if (stored === 'conflict' && !(await isThere())) throw conversationNotFound()
  })
  await noteChange(deps, target, options)
}

/** A page may report that an answer begins although the service has already stored more of it. */
async function hasTurn(
  { documents }: DocumentDependencies,
  { accountId, id, turnId }: ConversationTarget & { readonly turnId: string },
  options: Abortable,
): Promise<boolean> {
  return (await documents.get({ kind: 'turn', id: `${id}/${turnId}`, accountId }, options)) !== null
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
  const { accountId, id } = target
  await deps.documents.remove({ kind: 'turn', id: `${id}/${turnId}`, accountId }, options)
  await noteChange(deps, target, options)
}
