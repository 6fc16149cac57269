import type { FastifyInstance } from 'fastify'
import Type from 'typebox'
import { ServiceError } from '../../core/error.ts'
import { clientSignal } from '../../http/client-signal.ts'
import { SignInRefusal } from '../../operations/access/sign-in-refusal.ts'
import { readServiceKey } from '../../operations/service-key.ts'
import type { OpenIdStart, OpenIdStarted } from '../contract/session.ts'
import { type BodyReader, createBodyReader } from '../read-console-input.ts'
import { writeHostCookie } from '../sign-in/host-cookie.ts'
import { callbackPath, flowCookie, type OpenIdDependencies } from '../sign-in/openid/openid-dependencies.ts'
import { reportUnreachable } from '../sign-in/openid/report-unreachable.ts'
import { flowMs, type SignInFlow, sealFlow } from '../sign-in/openid/sign-in-flow.ts'
import { findSessionAccount, readSessionCookie } from '../sign-in/session.ts'

const firstPage = '/console/chat'
const readStart: BodyReader<OpenIdStart> = createBodyReader({
  page: Type.Optional(Type.String({ pattern: '^/console/[\\w/-]{1,150}$' })),
  code: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
  link: Type.Optional(Type.Boolean()),
})

/** POST /console/api/sign-in/openid: begins a sign-in. Returns the provider's address and sets a cookie for the return. */
export function registerOpenidStart(api: FastifyInstance, deps: OpenIdDependencies): void {
  api.post('/console/api/sign-in/openid', async (request, reply): Promise<OpenIdStarted> => {
    const { page = firstPage, code = null, link = false } = readStart(request)
    const options = { signal: clientSignal(reply) }
    const { publicUrl } = deps.addresses()
    const secret = readSessionCookie(request.headers, publicUrl)
    const person = link && secret !== null ? await findSessionAccount(deps, secret, options) : null
    if (link && person === null) throw new ServiceError('missing_token', 'Sign in first.')
    const { address, secrets } = await deps.openId.provider.begin(`${publicUrl}${callbackPath}`).catch((error: unknown) => {
      if (!(error instanceof SignInRefusal)) throw error
      reportUnreachable(deps, request.id, error)
      throw new ServiceError('server_is_overloaded', error.message, { retryAfterSeconds: 5 })
    })
    const flow: SignInFlow = { ...secrets, begunAt: deps.clock.now(), page, code, linkTo: person?.id ?? null }
    const sealed = sealFlow(flow, await readServiceKey(deps, options))
    reply.header('set-cookie', writeHostCookie(flowCookie, sealed, { publicUrl, maxAgeMs: flowMs, lax: true }))
    return { address }
  })
}
