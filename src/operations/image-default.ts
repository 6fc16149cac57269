import type { DocumentStore } from '../core/ports/document-store.ts'
import type { Abortable } from '../core/waiting.ts'
import { documentsFull } from './documents-full.ts'

const kind = 'image-default'

/** The account's default image model; null = none chosen. The model may have been removed since. */
export async function findImageDefault(
  { documents }: { readonly documents: DocumentStore },
  accountId: string,
  options: Abortable,
): Promise<string | null> {
  const found = await documents.get({ kind, id: accountId, accountId }, options)
  return typeof found?.value === 'string' ? found.value : null
}

/** Stores the account's default image model. @throws {ServiceError} `quota_exceeded`. */
export async function keepImageDefault(
  {
    documents,
    clock,
    maxDocumentBytes: most,
  }: { readonly documents: DocumentStore; readonly clock: { now(): number }; readonly maxDocumentBytes: number },
  { accountId, model }: { readonly accountId: string; readonly model: string },
  options: Abortable,
): Promise<void> {
  const rest = { at: clock.now(), label: null, text: '', attachedBytes: 0, expiresAt: null }
  const result = await documents.put({ kind, id: accountId, accountId, value: model, ...rest }, { ...options, most })
  if (result !== 'stored') throw documentsFull(most, 'delete conversations or files that are no longer needed')
}
