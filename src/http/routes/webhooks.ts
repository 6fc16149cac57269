import type { FastifyInstance } from 'fastify'
import Type from 'typebox'
import { listWebhookDeliveries, readWebhookSecrets, rotateWebhookSecret } from '../../operations/deferred/webhooks.ts'
import { receivedBody } from '../body/read-body.ts'
import { callerOf, requireScope } from '../caller.ts'
import { clientSignal } from '../client-signal.ts'
import type { HttpDependencies } from '../http-dependencies.ts'
import { encodeWebhookDelivery } from '../wire/deferred/webhook-delivery.ts'
import { encodeWebhookSecret } from '../wire/deferred/webhook-secret.ts'
import { createBodyChecker } from '../wire/faults/body-checker.ts'
import { textFaultCodes } from '../wire/faults/refuse-faults.ts'

/** The account's webhooks: their latest deliveries, and the secrets that sign them. */
export function registerWebhooks(api: FastifyInstance, deps: HttpDependencies): void {
  registerListWebhookSecrets(api, deps)
  registerRotateWebhookSecret(api, deps)
  registerListWebhookDeliveries(api, deps)
}

/** GET /v1/webhooks/deliveries: the account's latest webhook deliveries, newest first. */
function registerListWebhookDeliveries(api: FastifyInstance, deps: HttpDependencies): void {
  api.get('/v1/webhooks/deliveries', async (incoming, reply) => {
    const caller = callerOf(incoming)
    requireScope(caller, ['read'])
    const deliveries = await listWebhookDeliveries(deps, caller, { signal: clientSignal(reply) })
    return { object: 'list', data: deliveries.map(encodeWebhookDelivery) }
  })
}

/** GET /v1/webhooks/secrets: what the account's webhooks are signed with now, newest first. Who may only read, may not sign. */
function registerListWebhookSecrets(api: FastifyInstance, deps: HttpDependencies): void {
  api.get('/v1/webhooks/secrets', async (incoming, reply) => {
    const caller = callerOf(incoming)
    requireScope(caller, ['text', 'image'])
    const secrets = await readWebhookSecrets(deps, caller, { signal: clientSignal(reply) })
    return reply.header('cache-control', 'no-store').send({ object: 'list', data: secrets.map(encodeWebhookSecret) })
  })
}

const nothing = createBodyChecker(Type.Object({}, { additionalProperties: false }))

/** POST /v1/webhooks/secrets/rotate: makes the secret that signs from now on. */
function registerRotateWebhookSecret(api: FastifyInstance, deps: HttpDependencies): void {
  api.post('/v1/webhooks/secrets/rotate', async (incoming, reply) => {
    const caller = callerOf(incoming)
    requireScope(caller, ['text', 'image'])
    if (incoming.body !== undefined) nothing.parse(receivedBody(incoming).value, textFaultCodes)
    const secret = await rotateWebhookSecret(deps, caller, { signal: clientSignal(reply) })
    return reply.header('cache-control', 'no-store').send(encodeWebhookSecret(secret, 0))
  })
}
