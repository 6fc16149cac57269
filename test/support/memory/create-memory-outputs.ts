import { createHash } from 'node:crypto'
import { ServiceError } from '../../../src/core/error.ts'
import type { OutputReference } from '../../../src/core/inference.ts'
import type { Clock } from '../../../src/core/ports/clock.ts'
import type { OutputStore } from '../../../src/core/ports/output-store.ts'

/** Keeps outputs in memory, for tests and benches. */
export function createMemoryOutputs({ clock }: { readonly clock: Clock }): OutputStore {
  const outputs = new Map<string, { readonly inferenceId: string; readonly bytes: Uint8Array; readonly storedAt: number }>()
  const find = ({ key }: OutputReference): Uint8Array => {
    const stored = outputs.get(key)
    if (stored === undefined) throw new ServiceError('internal_error', 'The stored output cannot be read; send the request again.')
    return stored.bytes
  }
  return {
    async put({ inferenceId, attempt }, { contentType, chunks }, { signal }) {
      signal.throwIfAborted()
      const key = `${inferenceId}.${attempt}`
      const bytes = Buffer.concat([...chunks])
      outputs.set(key, { inferenceId, bytes, storedAt: clock.now() })
      return { key, contentType, bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') }
    },
    async open(reference, { signal }) {
      signal.throwIfAborted()
      const bytes = find(reference)
      if (createHash('sha256').update(bytes).digest('hex') !== reference.sha256)
        throw new ServiceError('internal_error', 'The stored output is damaged; send the request again.')
      return (async function* () {
        yield Uint8Array.from(bytes)
      })()
    },
    async readPart(reference, { offset, length }, { signal }) {
      signal.throwIfAborted()
      return Uint8Array.from(find(reference).subarray(offset, offset + length))
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
