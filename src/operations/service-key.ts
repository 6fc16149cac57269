import { randomBytes } from 'node:crypto'
import type { Clock } from '../core/ports/clock.ts'
import type { DocumentStore } from '../core/ports/document-store.ts'

/** Whose the service's own documents are; no account has such an id. */
const service = 'service'

/**
 * The secret that the service signs links with: the same for every node and after every restart, made when it is first asked for.
 *
 * @returns 32 bytes.
 */
export async function readServiceKey(
  { documents, clock }: { readonly documents: DocumentStore; readonly clock: Clock },
  options: { readonly signal: AbortSignal },
): Promise<Buffer> {
  const key = { kind: 'service-key', id: 'links', accountId: service } as const
  for (;;) {
    const found = await documents.get(key, options)
    if (typeof found?.value === 'string') return Buffer.from(found.value, 'base64')
    const value = randomBytes(32).toString('base64')
    const made = { ...key, value, at: clock.now(), label: null, text: '', attachedBytes: 0, expiresAt: null }
    // The second process reads the key that the first one made.
    await documents.put(made, { ...options, version: null, most: Number.POSITIVE_INFINITY })
  }
}
