import type { FastifyInstance } from 'fastify'
import Type from 'typebox'
import type { Account } from '../../../core/account.ts'
import { isRecord } from '../../../core/json-value.ts'
import type { Abortable } from '../../../core/waiting.ts'
import { clientSignal } from '../../../http/client-signal.ts'
import { hasBodies } from '../../../operations/bodies/kept-bodies.ts'
import type { ConsoleDependencies } from '../../console-dependencies.ts'
import type { RequestCall, RequestPage, RequestShown } from '../../contract/requests.ts'
import { findRequest, readRequestPlace, showInference, showResult } from '../../find-request.ts'
import { listRequests } from '../../list-requests.ts'
import { createQueryReader } from '../../read-console-input.ts'
import { ownerOf, personOf } from '../../sign-in/signed-in.ts'

const readQuery = createQueryReader({
  of: Type.Optional(Type.Enum(['me', 'everyone'])),
  status: Type.Optional(Type.Enum(['pending', 'running', 'completed'])),
  way: Type.Optional(Type.Enum(['asynchronous', 'synchronous'])),
  kind: Type.Optional(Type.Enum(['chat', 'completion', 'embedding', 'rerank', 'image'])),
  search: Type.Optional(Type.String({ maxLength: 200 })),
  limit: Type.Optional(Type.String({ pattern: '^\\d{1,3}$' })),
  after: Type.Optional(Type.String({ maxLength: 100 })),
})

type Dependencies = Pick<ConsoleDependencies, 'log' | 'events' | 'requests' | 'tokens' | 'accounts' | 'webhooks' | 'documents' | 'clock'>
/** /console/api/requests: the caller's requests, or for owners everyone's. */
export function registerRequests(own: FastifyInstance, deps: Dependencies): void {
  own.get('/console/api/requests', async (request, reply): Promise<RequestPage> => {
    const { of = 'me', status = null, way = null, kind = null, search = '', limit = '50', after = null } = readQuery(request)
    const person = of === 'everyone' ? ownerOf(request) : personOf(request)
    // A malformed cursor gives an empty page.
    if (status === null && after !== null && readRequestPlace(after) === null) return { requests: [], next: null }
    const wanted = { of, status, way, kind, search: search.trim() || null, after }
    return listRequests(deps, { ...wanted, person, limit: Math.min(100, Math.max(1, Number(limit))) }, { signal: clientSignal(reply) })
  })

  own.get<{ Params: { id: string } }>('/console/api/requests/:id', async (request, reply): Promise<RequestShown> => {
    return showRequest(deps, { id: request.params.id, person: personOf(request) }, { signal: clientSignal(reply) })
  })
}

async function showRequest(
  deps: Dependencies,
  { id: place, person }: { readonly id: string; readonly person: Account },
  options: Abortable,
): Promise<RequestShown> {
  const { id, accountId, record, inference } = await findRequest(deps, { place, person }, options)
  // Owners see the state of other accounts' requests, but not their content.
  const own = accountId === person.id
  const tokens = record?.tokenId ? await deps.tokens.list(accountId, options) : []
  const deliveries = own && inference !== null ? await deps.webhooks.list(person.id, options) : []
  return {
    id,
    kind: record?.kind ?? inference?.kind ?? 'chat',
    model: record?.model ?? inference?.model ?? '',
    at: record?.at ?? inference?.createdAt ?? 0,
    result: record?.result ? showResult(record.result, person) : null,
    account: own ? null : ((await deps.accounts.find(accountId, options))?.name ?? accountId),
    inference: inference && showInference(inference, person),
    logged: await hasBodies(deps, { accountId, requestId: id }, options),
    token: record?.tokenId ? (tokens.find(({ id: token }) => token === record.tokenId)?.name ?? record.tokenId) : null,
    call: own ? readCall(record?.requested?.call ?? null) : null,
    deliveries: deliveries.filter(({ inferenceId }) => inferenceId === id).map(({ accountId: _, ...delivery }) => delivery),
  }
}

/** Parses a stored request, which an older version may have written. */
function readCall(text: string | null): RequestCall | null {
  const value: unknown = text === null ? null : JSON.parse(text)
  return isRecord(value) && typeof value.path === 'string' && isRecord(value.body) ? { path: value.path, body: value.body } : null
}
