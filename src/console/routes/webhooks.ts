import type { FastifyInstance } from 'fastify'
import { clientSignal } from '../../http/client-signal.ts'
import type { ConsoleDependencies } from '../console-dependencies.ts'
import type { Webhooks } from '../contract/webhooks.ts'
import { recordAudit } from '../record-audit.ts'
import { personOf } from '../sign-in/signed-in.ts'

/** /console/api/webhooks: the caller's webhook secrets, and the results of deliveries. */
export function registerWebhooks(own: FastifyInstance, deps: Pick<ConsoleDependencies, 'webhooks' | 'audit' | 'clock'>): void {
  own.get('/console/api/webhooks', async (request, reply): Promise<Webhooks> => {
    const { id } = personOf(request)
    const options = { signal: clientSignal(reply) }
    const secrets = await deps.webhooks.secrets(id, options)
    const deliveries = await deps.webhooks.list(id, options)
    return { secrets, deliveries: deliveries.map(({ accountId: _, ...shown }) => shown) }
  })

  own.post('/console/api/webhooks/rotate', async (request, reply) => {
    await deps.webhooks.rotateSecret(personOf(request).id, { signal: clientSignal(reply) })
    await recordAudit(deps, request, 'webhook-secret-rotated')
    return reply.code(204).send()
  })
}
