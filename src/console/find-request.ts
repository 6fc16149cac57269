import type { Account } from '../core/account.ts'
import { type ErrorRecord, ServiceError } from '../core/error.ts'
import type { Inference } from '../core/inference.ts'
import type { NumberedRequest } from '../core/ports/request-log.ts'
import type { RequestResult } from '../core/requests/request-record.ts'
import type { Abortable } from '../core/waiting.ts'
import { findInference } from '../operations/deferred/inferences.ts'
import type { ConsoleDependencies } from './console-dependencies.ts'

/** A stored request: its deferred inference, its record, or both. */
interface FoundRequest {
  readonly id: string
  readonly accountId: string
  readonly record: NumberedRequest | null
  /** null = synchronous. */
  readonly inference: Inference | null
}

/**
 * Finds a request that a user may see: their own, or for owners any.
 *
 * @param place The id of an asynchronous request, or the number of a record; ids of synchronous ones are chosen by callers.
 * @throws {ServiceError} `request_not_found`, with the same message for another account's, an unknown and a malformed place.
 */
export async function findRequest(
  deps: Pick<ConsoleDependencies, 'log' | 'events' | 'requests' | 'clock'>,
  { place, person }: { readonly place: string; readonly person: Account },
  options: Abortable,
): Promise<FoundRequest> {
  const accountId = person.role === 'owner' ? null : person.id
  const any = { accountId, search: null, kind: null, limit: 1 }
  const number = readRequestPlace(place)
  if (number !== null) {
    const [record = null] = await deps.requests.list({ ...any, deferred: null, ids: null, before: number + 1 }, options)
    if (record?.number !== number)
      throw new ServiceError('request_not_found', 'This request does not exist; requests are kept for eight days.')
    const inference = record.result === null ? await deps.log.find(record.id, record.accountId, options) : null
    return { id: record.id, accountId: record.accountId, record, inference }
  }
  const [record = null] =
    place.length > 100 ? [] : await deps.requests.list({ ...any, deferred: true, ids: [place], before: null }, options)
  const inference = await findInference(deps, { id: place, accountId: record?.accountId ?? person.id }, options)
  return { id: inference.id, accountId: inference.accountId, record, inference }
}

/** The number of a record as text; null when it is malformed. */
export function readRequestPlace(text: string): number | null {
  return /^\d{1,15}$/.test(text) ? Number(text) : null
}

type Person = Pick<Account, 'id' | 'role'>

/** An inference as a user may see it: results of other accounts are hidden from everyone. */
export function showInference(inference: Inference, person: Person): Inference {
  const shown = inference.accountId === person.id ? inference : { ...inference, output: null }
  return { ...shown, error: showError(inference.error, person) }
}

/** The result of a synchronous request as a user may see it. */
export function showResult(result: RequestResult, person: Person): RequestResult {
  return { ...result, error: showError(result.error, person) }
}

/** Only owners see causes of failures. */
function showError(error: ErrorRecord | null, { role }: Person): ErrorRecord | null {
  if (error === null || role === 'owner') return error
  const { cause: _, ...visible } = error
  return visible
}
