import { randomBytes } from 'node:crypto'
import type { BodyKey, BodyKeys } from '../../../src/core/ports/body-keys.ts'

/** Keys of the request log that live as long as the process; `make` adds a newer one. */
export function createMemoryBodyKeys(): BodyKeys & { make(): BodyKey } {
  const keys: BodyKey[] = []
  const make = (): BodyKey => {
    const key = { id: `key-${keys.length + 1}`, secret: randomBytes(32) }
    keys.push(key)
    return key
  }
  return {
    make,
    current: () => keys.at(-1) ?? null,
    find: (wanted) => keys.find(({ id }) => id === wanted) ?? null,
    begin: async () => {
      if (keys.length === 0) make()
    },
    refresh: async () => {},
  }
}
