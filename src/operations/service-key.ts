import { randomBytes } from 'node:crypto'
import { plainDocument } from '../core/document.ts'
import type { Store } from '../core/ports/store.ts'
import type { Abortable } from '../core/waiting.ts'

/** Owner of the service's own documents; never an account id. */
const service = 'service'

/**
 * The secret for signing links, created on first use and shared by all nodes.
 *
 * @returns 32 bytes.
 */
export async function readServiceKey({ documents, clock }: Pick<Store, 'documents' | 'clock'>, options: Abortable): Promise<Buffer> {
  const key = { kind: 'service-key', id: 'links', accountId: service } as const
  for (;;) {
    const found = await documents.get(key, options)
    if (typeof found?.value === 'string') return Buffer.from(found.value, 'base64')
    const value = randomBytes(32).toString('base64')
    const made = { ...plainDocument, ...key, value, at: clock.now() }
    // The second of two concurrent processes reads the key of the first.
    await documents.put(made, { ...options, version: null, most: Number.POSITIVE_INFINITY })
  }
}
