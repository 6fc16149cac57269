import type { DocumentKey } from '../../core/ports/document-store.ts'
import { type ConversationDependencies, type ConversationTarget, conversationNotFound, type Options } from './conversation-documents.ts'

/** Time for which a removal is remembered, in milliseconds: browsers that were offline send late changes. */
const rememberedMs = 90 * 86_400_000

/** Remembers that a conversation was removed, but none of its content. */
export async function noteRemoved(
  { documents, clock }: Pick<ConversationDependencies, 'documents' | 'clock'>,
  target: ConversationTarget,
  { signal }: Options,
): Promise<void> {
  const at = clock.now()
  const note = { ...noteOf(target), accountId: target.accountId, value: {}, at, label: null, text: '', attachedBytes: 0 }
  // Removing must work even for an account that is out of space.
  const result = await documents.put({ ...note, expiresAt: at + rememberedMs }, { signal, most: Number.MAX_SAFE_INTEGER })
  if (result !== 'stored') throw conversationNotFound()
}

/** Forgets the removal after the conversation was restored. */
export async function forgetRemoved(
  { documents }: Pick<ConversationDependencies, 'documents'>,
  target: ConversationTarget,
  options: Options,
): Promise<void> {
  await documents.remove(noteOf(target), options)
}

/** Whether a conversation was removed, so that only its user may restore it. */
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
