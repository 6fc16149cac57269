import type { DocumentKey } from '../../core/ports/document-store.ts'
import { type ConversationDependencies, type ConversationTarget, conversationNotFound, type Options } from './conversation-documents.ts'

/** How long it is remembered that a conversation was removed, in milliseconds: browsers that were away come back with changes of it. */
const rememberedMs = 90 * 86_400_000

/** Remembers that a conversation was removed, and nothing of it besides. */
export async function noteRemoved(
  { documents, clock }: Pick<ConversationDependencies, 'documents' | 'clock'>,
  target: ConversationTarget,
  { signal }: Options,
): Promise<void> {
  const at = clock.now()
  const note = { ...noteOf(target), accountId: target.accountId, value: {}, at, label: null, text: '', attachedBytes: 0 }
  // People remove things when they are out of space.
  const result = await documents.put({ ...note, expiresAt: at + rememberedMs }, { signal, most: Number.MAX_SAFE_INTEGER })
  if (result !== 'stored') throw conversationNotFound()
}

/** It was brought back. */
export async function forgetRemoved(
  { documents }: Pick<ConversationDependencies, 'documents'>,
  target: ConversationTarget,
  options: Options,
): Promise<void> {
  await documents.remove(noteOf(target), options)
}

/** Whether its person removed it, so that nothing may bring it back but they. */
export async function wasRemoved(
  { documents }: Pick<ConversationDependencies, 'documents'>,
  target: ConversationTarget,
  options: Options,
): Promise<boolean> {
  return (await documents.get(noteOf(target), options)) !== null
}

function noteOf({ accountId, id }: ConversationTarget): DocumentKey & { readonly kind: 'conversation' } {
  return { kind: 'conversation', id: `${id}/removed`, accountId }
}
