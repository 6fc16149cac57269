import { createHash } from 'node:crypto'
import { ServiceError } from '../../core/error.ts'
import type { Clock } from '../../core/ports/clock.ts'
import type { OutputStore } from '../../core/ports/output-store.ts'

/** Keeps outputs in memory, for tests and benches. */
export function createMemoryOutputs({ clock }: { readonly clock: Clock }): OutputStore {
  const outputs = new Map<string, Map<number, { readonly bytes: Uint8Array; readonly storedAt: number }>>()
  return {
    async put({ inferenceId, attempt }, { contentType, bytes }, { signal }) {
      signal.throwIfAborted()
      const attempts = outputs.get(inferenceId) ?? new Map()
      outputs.set(inferenceId, attempts.set(attempt, { bytes: Uint8Array.from(bytes), storedAt: clock.now() }))
      return { contentType, bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') }
    },
    async read({ inferenceId, attempt }, reference, { signal }) {
      signal.throwIfAborted()
      const stored = outputs.get(inferenceId)?.get(attempt)
      if (stored === undefined) throw new ServiceError('internal_error', 'The stored output cannot be read; send the request again.')
      if (createHash('sha256').update(stored.bytes).digest('hex') !== reference.sha256)
        throw new ServiceError('internal_error', 'The stored output is damaged; send the request again.')
      return Uint8Array.from(stored.bytes)
    },
    async delete(inferenceId, { signal }) {
      signal.throwIfAborted()
      outputs.delete(inferenceId)
    },
    async *listIds({ olderThan }, { signal }) {
      signal.throwIfAborted()
      for (const [id, attempts] of outputs) if ([...attempts.values()].some(({ storedAt }) => storedAt < olderThan)) yield id
    },
  }
}
