import type { Account } from '../core/account.ts'
import { ServiceError } from '../core/error.ts'
import type { Inference } from '../core/inference.ts'
import type { NumberedRequest } from '../core/ports/request-log.ts'
import { findInference } from '../operations/deferred/inferences.ts'
import type { ConsoleDependencies } from './console-dependencies.ts'

/** A request as it is remembered: of an asynchronous one at least how it stands, of any other its record. */
interface FoundRequest {
  readonly id: string
  readonly accountId: string
  readonly record: NumberedRequest | null
  /** null = its caller waited. */
  readonly inference: Inference | null
}

/**
 * A request that a person may see: their own or, for owners, anybody's.
 *
 * @param place The id of an asynchronous request, or the number of a record: ids of the others are their callers' to choose.
 * @throws {ServiceError} `request_not_found`, in the same words for a foreign, an unknown and a malformed place.
 */
export async function findRequest(
  deps: Pick<ConsoleDependencies, 'log' | 'events' | 'requests' | 'clock'>,
  { place, person }: { readonly place: string; readonly person: Account },
  options: { readonly signal: AbortSignal },
): Promise<FoundRequest> {
  const accountId = person.role === 'owner' ? null : person.id
  const any = { accountId, search: null, kind: null, limit: 1 }
  if (/^\d{1,15}$/.test(place)) {
    const number = Number(place)
    const [record = null] = await deps.requests.list({ ...any, deferred: null, ids: null, before: number + 1 }, options)
    if (record?.number !== number) throw requestNotFound()
    const inference = record.result === null ? await deps.log.find(record.id, record.accountId, options) : null
    return { id: record.id, accountId: record.accountId, record, inference }
  }
  const [record = null] =
    place.length > 100 ? [] : await deps.requests.list({ ...any, deferred: true, ids: [place], before: null }, options)
  const inference = await findInference(deps, { id: place, accountId: record?.accountId ?? person.id }, options)
  return { id: inference.id, accountId: inference.accountId, record, inference }
}

function requestNotFound(): ServiceError {
  return new ServiceError('request_not_found', 'This request does not exist; requests are kept for eight days.')
}

/** Where a page of requests ended, as the query parameter `after` has it: its number, or null for what is nowhere. */
export function readRequestPlace(after: string): number | null {
  return /^\d{1,15}$/.test(after) ? Number(after) : null
}

/** An inference as a person may see it: why it failed is for owners, what others' came to for nobody. */
export function showInference(inference: Inference, { id, role }: Pick<Account, 'id' | 'role'>): Inference {
  const { error } = inference
  const shown = inference.accountId === id ? inference : { ...inference, output: null }
  if (error === null || role === 'owner') return shown
  const { cause: _, ...visible } = error
  return { ...shown, error: visible }
}
