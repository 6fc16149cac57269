import type { FastifyInstance } from 'fastify'
import Type from 'typebox'
import { clientSignal } from '../../http/client-signal.ts'
import { findInference } from '../../operations/deferred/find-inference.ts'
import { listInferences } from '../../operations/deferred/list-inferences.ts'
import type { ConsoleDependencies } from '../console-dependencies.ts'
import type { RequestPage, RequestShown } from '../contract/requests.ts'
import { createQueryReader } from '../read-console-input.ts'
import { personOf } from '../sign-in/signed-in.ts'

const readQuery = createQueryReader({
  status: Type.Optional(Type.Enum(['pending', 'running', 'completed'])),
  limit: Type.Optional(Type.String({ pattern: '^\\d{1,3}$' })),
  after: Type.Optional(Type.String({ maxLength: 100 })),
})

/** /console/api/requests: one's own asynchronous requests, as the domain tells of them. */
export function registerRequests(own: FastifyInstance, deps: Pick<ConsoleDependencies, 'log' | 'events'>): void {
  own.get('/console/api/requests', async (request, reply): Promise<RequestPage> => {
    const { status = null, limit = '50', after = null } = readQuery(request)
    const wanted = { accountId: personOf(request).id, status, limit: Math.min(100, Math.max(1, Number(limit))), after }
    return listInferences(deps, wanted, { signal: clientSignal(reply) })
  })

  own.get<{ Params: { id: string } }>('/console/api/requests/:id', async (request, reply): Promise<RequestShown> => {
    const target = { id: request.params.id, accountId: personOf(request).id }
    return { inference: await findInference(deps, target, { signal: clientSignal(reply) }) }
  })
}
