import { randomBytes } from 'node:crypto'
import type { OutputName, StoredOutput } from '../../core/ports/output-store.ts'

/** What all outputs lie under; a later layout gets another. */
export const outputPrefix = 'v1/'

/**
 * A key that nobody else makes: `v1/<hour>/<id>/<attempt>-<nonce>`, so that keys sort by the hour in which they were stored.
 * The nonce begins with the millisecond.
 *
 * @param at Unix milliseconds.
 */
export function makeOutputKey({ inferenceId, attempt }: OutputName, at: number): string | null {
  const key = `${outputPrefix}${hourOf(at)}/${inferenceId}/${attempt}-${at.toString(16).padStart(12, '0')}${randomBytes(10).toString('hex')}`
  return readOutputKey(key) === null ? null : key
}

/** What a key says, or null for one that {@link makeOutputKey} cannot have made. */
export function readOutputKey(key: string): (StoredOutput & { readonly storedAt: number }) | null {
  const match = /^v1\/\d{4}-\d\d-\d\dT\d\d\/([\w-]{4,64})\/\d{1,10}-([0-9a-f]{12})[0-9a-f]{20}$/.exec(key)
  const [, inferenceId, at] = match ?? []
  return inferenceId === undefined || at === undefined ? null : { key, inferenceId, storedAt: Number.parseInt(at, 16) }
}

/** `2026-11-22T18`, as keys of that hour have it. */
export function hourOf(at: number): string {
  return new Date(at).toISOString().slice(0, 13)
}
