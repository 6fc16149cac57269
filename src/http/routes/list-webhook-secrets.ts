import type { FastifyInstance } from 'fastify'
import { readWebhookSecrets } from '../../operations/deferred/read-webhook-secrets.ts'
import { callerOf, requireScope } from '../caller.ts'
import { clientSignal } from '../client-signal.ts'
import type { HttpDependencies } from '../http-dependencies.ts'
import { encodeWebhookSecret } from '../wire/deferred/webhook-secret.ts'

/** GET /v1/webhooks/secrets: what the account's webhooks are signed with now, newest first. Who may only read, may not sign. */
export function registerListWebhookSecrets(api: FastifyInstance, deps: HttpDependencies): void {
  api.get('/v1/webhooks/secrets', async (incoming, reply) => {
    const caller = callerOf(incoming)
    requireScope(caller, ['text', 'image'])
    const secrets = await readWebhookSecrets(deps, caller, { signal: clientSignal(reply) })
    return reply.header('cache-control', 'no-store').send({ object: 'list', data: secrets.map(encodeWebhookSecret) })
  })
}
