import type { FastifyInstance } from 'fastify'
import { listWebhookDeliveries } from '../../operations/deferred/list-webhook-deliveries.ts'
import { callerOf, requireScope } from '../caller.ts'
import { clientSignal } from '../client-signal.ts'
import type { HttpDependencies } from '../http-dependencies.ts'
import { encodeWebhookDelivery } from '../wire/deferred/webhook-delivery.ts'

/** GET /v1/webhooks/deliveries: the account's latest webhook deliveries, newest first. */
export function registerListWebhookDeliveries(api: FastifyInstance, deps: HttpDependencies): void {
  api.get('/v1/webhooks/deliveries', async (incoming, reply) => {
    const caller = callerOf(incoming)
    requireScope(caller, ['read'])
    const deliveries = await listWebhookDeliveries(deps, caller, { signal: clientSignal(reply) })
    return { object: 'list', data: deliveries.map(encodeWebhookDelivery) }
  })
}
