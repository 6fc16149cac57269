import { plainDocument, type StoredDocument } from '../../core/document.ts'
import { ServiceError } from '../../core/error.ts'
import type { BodyKeys } from '../../core/ports/body-keys.ts'
import { type Clock, hourMs } from '../../core/ports/clock.ts'
import type { DocumentStore } from '../../core/ports/document-store.ts'
import { type BodyLogSwitch, shortestKeepMs } from '../../core/requests/logged-body.ts'
import type { Abortable } from '../../core/waiting.ts'
import { bodyOwner } from '../account-bytes.ts'

/** Dependencies of switching the log. */
export interface BodyLogDependencies {
  readonly documents: DocumentStore
  readonly clock: Pick<Clock, 'now'>
  readonly keys: BodyKeys
  /** Maximum retention of bodies. */
  readonly mostKeepMs: number
}

/** Maximum number of accounts with a log. */
const maxSwitches = 1000

/**
 * Switches the log of an account's requests on, or changes its retention for new bodies.
 *
 * @param wish.forMs Time until it switches off; null = never.
 * @returns What changed; null = it is on with these settings.
 * @throws {ServiceError} `invalid_request_error` for a retention that is too short or too long, and if there is no encryption key.
 */
export async function switchBodyLogOn(
  { documents, clock, keys, mostKeepMs }: BodyLogDependencies,
  { accountId, keepMs, forMs }: { readonly accountId: string; readonly keepMs: number; readonly forMs: number | null },
  { signal }: Abortable,
): Promise<Pick<BodyLogSwitch, 'keepMs' | 'until'> | null> {
  if (!(keepMs >= shortestKeepMs && keepMs <= mostKeepMs))
    throw new ServiceError(
      'invalid_request_error',
      `Keep bodies for 1 to ${Math.floor(mostKeepMs / hourMs)} hours (request-log-time), not ${Math.round((keepMs / hourMs) * 10) / 10}.`,
      { param: 'keep' },
    )
  if (forMs !== null && !(forMs > 0))
    throw new ServiceError('invalid_request_error', 'Set a time longer than zero, or leave it out.', { param: 'for' })
  await keys.begin()
  if (keys.current() === null)
    throw new ServiceError(
      'invalid_request_error',
      'There is no key for the request log; create one with sepia log-key make, and set request-log-keys to its file on every node.',
    )
  const since = clock.now()
  const until = forMs === null ? null : since + forMs
  const before = await findBodyLog({ documents }, accountId, { signal })
  if (before?.keepMs === keepMs && before.until === until) return null
  const log = { kind: 'request-log', id: accountId, accountId: bodyOwner(accountId), value: { keepMs }, at: since } as const
  const result = await documents.put({ ...plainDocument, ...log, expiresAt: until }, { signal, most: Number.POSITIVE_INFINITY })
  if (result !== 'stored') throw new Error(`Switching the request log returned ${result}`)
  return { keepMs, until }
}

/** Switches the log off; logged bodies stay until they expire. False = it was off. */
export function switchBodyLogOff(
  { documents }: Pick<BodyLogDependencies, 'documents'>,
  accountId: string,
  options: Abortable,
): Promise<boolean> {
  return documents.remove({ kind: 'request-log', id: accountId, accountId: bodyOwner(accountId) }, options)
}

/** Settings of an account's log; null = off. */
export async function findBodyLog(
  { documents }: Pick<BodyLogDependencies, 'documents'>,
  accountId: string,
  options: Abortable,
): Promise<BodyLogSwitch | null> {
  const found = await documents.get({ kind: 'request-log', id: accountId, accountId: bodyOwner(accountId) }, options)
  return found === null ? null : readSwitch(found)
}

/** All logs that are on. */
export async function listBodyLogs(
  { documents }: Pick<BodyLogDependencies, 'documents'>,
  options: Abortable,
): Promise<readonly BodyLogSwitch[]> {
  const query = { kind: 'request-log', accountId: null, order: 'newest', after: null, limit: maxSwitches } as const
  return (await documents.list(query, options)).map(readSwitch)
}

/** Only this file writes such documents, so their shape is known. */
function readSwitch({ id: accountId, at: since, value, expiresAt: until }: StoredDocument): BodyLogSwitch {
  return { accountId, since, keepMs: (value as { readonly keepMs: number }).keepMs, until }
}
