import { plainDocument } from '../core/document.ts'
import type { DocumentStore } from '../core/ports/document-store.ts'
import type { Abortable } from '../core/waiting.ts'
import { type DocumentDependencies, documentsFull } from './account-documents.ts'

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
  { documents, clock, maxDocumentBytes: most }: DocumentDependencies,
  { accountId, model }: { readonly accountId: string; readonly model: string },
  options: Abortable,
): Promise<void> {
  const document = { ...plainDocument, kind, id: accountId, accountId, value: model, at: clock.now() } as const
  const result = await documents.put(document, { ...options, most })
  if (result !== 'stored') throw documentsFull(most, 'delete conversations or files that are no longer needed')
}
