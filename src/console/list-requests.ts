import type { Account } from '../core/account.ts'
import type { Inference } from '../core/inference.ts'
import type { NumberedRequest } from '../core/ports/request-log.ts'
import type { Abortable } from '../core/waiting.ts'
import type { ConsoleDependencies } from './console-dependencies.ts'
import type { ListedRequest, RequestPage, RequestQuery } from './contract/requests.ts'
import { showInference, showResult } from './find-request.ts'
import { hasPictures, imageAddress } from './stored-images.ts'

type Dependencies = Pick<ConsoleDependencies, 'requests' | 'log' | 'tokens' | 'accounts' | 'clock'>
interface Row {
  readonly id: string
  readonly key: string
  readonly accountId: string
  readonly record: NumberedRequest | null
  readonly inference: Inference | null
}

/** One page of requests. Prompts of other accounts are omitted. */
export async function listRequests(
  deps: Dependencies,
  { person, limit, ...query }: RequestQuery & { readonly person: Account; readonly limit: number },
  options: Abortable,
): Promise<RequestPage> {
  const { rows, next } =
    query.status === null
      ? await findRecords(deps, { person, limit, ...query }, options)
      : await findByStatus(deps, { person, limit, ...query, status: query.status }, options)
  const accounts = query.of === 'everyone' ? new Map((await deps.accounts.list(options)).map(({ id, name }) => [id, name])) : null
  const tokens = await tokenNames(deps, rows, options)
  const requests = rows.map(({ id, key, accountId, record, inference }): ListedRequest => {
    const own = accountId === person.id
    return {
      id,
      key,
      kind: record?.kind ?? inference?.kind ?? 'chat',
      model: record?.model ?? inference?.model ?? '',
      at: record?.at ?? inference?.createdAt ?? 0,
      result: record?.result ? showResult(record.result, person) : null,
      account: accounts === null ? null : (accounts.get(accountId) ?? accountId),
      token: record?.tokenId ? (tokens.get(record.tokenId) ?? record.tokenId) : null,
      excerpt: own ? (record?.requested?.excerpt ?? null) : null,
      inference: inference && showInference(inference, person),
      picture: own && inference !== null ? pictureOf(inference, deps.clock.now()) : null,
    }
  })
  return { requests, next }
}

type Page = { readonly rows: readonly Row[]; readonly next: string | null }
type Requested = RequestQuery & { readonly person: Account; readonly limit: number }

async function findRecords(
  deps: Dependencies,
  { person, limit, of, search, kind, way, after }: Requested,
  options: Abortable,
): Promise<Page> {
  const accountId = of === 'me' ? person.id : null
  // Owners search only their own requests: a search of all would reveal words of other accounts' prompts.
  const account = search === null ? accountId : person.id
  const deferred = way === null ? null : way === 'asynchronous'
  const before = after === null ? null : Number(after)
  const wanted = { accountId: account, search, kind, deferred, ids: null, before, limit: limit + 1 }
  const records = await deps.requests.list(wanted, options)
  const shown = records.slice(0, limit)
  const rows = await Promise.all(
    shown.map(async (record) => ({
      id: record.id,
      key: String(record.number),
      accountId: record.accountId,
      record,
      inference: record.result === null ? await deps.log.find(record.id, record.accountId, options) : null,
    })),
  )
  return { rows, next: records.length > limit ? String(shown.at(-1)?.number) : null }
}

/** Only the queue can list requests by state. */
async function findByStatus(
  deps: Dependencies,
  { person: { id: accountId }, limit, status, after }: Requested & { readonly status: Inference['status'] },
  options: Abortable,
): Promise<Page> {
  const { inferences, next } = await deps.log.list({ accountId, status, limit, after }, options)
  const ids = inferences.map(({ id }) => id)
  const wanted = { accountId, search: null, kind: null, deferred: true, ids, before: null, limit: ids.length }
  const records = new Map((ids.length === 0 ? [] : await deps.requests.list(wanted, options)).map((record) => [record.id, record]))
  const rows = inferences.map((inference) => ({
    id: inference.id,
    key: inference.id,
    accountId,
    record: records.get(inference.id) ?? null,
    inference,
  }))
  return { rows, next }
}

async function tokenNames(deps: Dependencies, rows: readonly Row[], options: Abortable): Promise<ReadonlyMap<string, string>> {
  const accounts = new Set(rows.flatMap(({ accountId, record }) => (record?.tokenId ? [accountId] : [])))
  const lists = await Promise.all([...accounts].map((accountId) => deps.tokens.list(accountId, options)))
  return new Map(lists.flat().map(({ id, name }) => [id, name]))
}

function pictureOf(inference: Inference, now: number): string | null {
  if (!hasPictures(inference, now)) return null
  const index = inference.output.images?.pictures.findIndex(({ removedForSafety }) => !removedForSafety) ?? -1
  return index === -1 ? null : imageAddress(inference.id, index)
}
