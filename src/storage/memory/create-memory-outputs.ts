import { createHash } from 'node:crypto'
import { ServiceError } from '../../core/error.ts'
import type { Clock } from '../../core/ports/clock.ts'
import type { OutputStore } from '../../core/ports/output-store.ts'

/** Keeps outputs in memory, for tests and benches. */
export function createMemoryOutputs({ clock }: { readonly clock: Clock }): OutputStore {
  const outputs = new Map<string, { readonly inferenceId: string; readonly bytes: Uint8Array; readonly storedAt: number }>()
  return {
    async put({ inferenceId, attempt }, { contentType, bytes }, { signal }) {
      signal.throwIfAborted()
      const key = `${inferenceId}.${attempt}`
      outputs.set(key, { inferenceId, bytes: Uint8Array.from(bytes), storedAt: clock.now() })
      return { key, contentType, bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') }
    },
    async read(reference, { signal }) {
      signal.throwIfAborted()
      const stored = outputs.get(reference.key)
      if (stored === undefined) throw new ServiceError('internal_error', 'The stored output cannot be read; send the request again.')
      if (createHash('sha256').update(stored.bytes).digest('hex') !== reference.sha256)
        throw new ServiceError('internal_error', 'The stored output is damaged; send the request again.')
      return Uint8Array.from(stored.bytes)
    },
    async delete(keys, { signal }) {
      signal.throwIfAborted()
      for (const key of keys) outputs.delete(key)
    },
    async *listOld({ olderThan }, { signal }) {
      signal.throwIfAborted()
      for (const [key, { inferenceId, storedAt }] of outputs) if (storedAt < olderThan) yield { key, inferenceId }
    },
  }
}
