import type { FastifyInstance } from 'fastify'
import { rotateWebhookSecret } from '../../operations/rotate-webhook-secret.ts'
import { callerOf, requireScope } from '../caller.ts'
import { clientSignal } from '../client-signal.ts'
import type { HttpDependencies } from '../http-dependencies.ts'
import { encodeWebhookSecret } from '../wire/webhook-secret.ts'

/** POST /v1/webhooks/secrets/rotate: makes the secret that signs from now on. */
export function registerRotateWebhookSecret(api: FastifyInstance, deps: HttpDependencies): void {
  api.post('/v1/webhooks/secrets/rotate', async (incoming, reply) => {
    const caller = callerOf(incoming)
    requireScope(caller, ['text', 'image'])
    const secret = await rotateWebhookSecret(deps, caller, { signal: clientSignal(reply) })
    return reply.header('cache-control', 'no-store').send(encodeWebhookSecret(secret, 0))
  })
}
