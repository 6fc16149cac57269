import type { FastifyInstance } from 'fastify'
import Type from 'typebox'
import { rotateWebhookSecret } from '../../operations/deferred/rotate-webhook-secret.ts'
import { receivedBody } from '../body/read-body.ts'
import { callerOf, requireScope } from '../caller.ts'
import { clientSignal } from '../client-signal.ts'
import type { HttpDependencies } from '../http-dependencies.ts'
import { encodeWebhookSecret } from '../wire/deferred/webhook-secret.ts'
import { createBodyChecker } from '../wire/faults/body-checker.ts'
import { textFaultCodes } from '../wire/faults/refuse-faults.ts'

const nothing = createBodyChecker(Type.Object({}, { additionalProperties: false }))

/** POST /v1/webhooks/secrets/rotate: makes the secret that signs from now on. */
export function registerRotateWebhookSecret(api: FastifyInstance, deps: HttpDependencies): void {
  api.post('/v1/webhooks/secrets/rotate', async (incoming, reply) => {
    const caller = callerOf(incoming)
    requireScope(caller, ['text', 'image'])
    if (incoming.body !== undefined) nothing.parse(receivedBody(incoming).value, textFaultCodes)
    const secret = await rotateWebhookSecret(deps, caller, { signal: clientSignal(reply) })
    return reply.header('cache-control', 'no-store').send(encodeWebhookSecret(secret, 0))
  })
}
