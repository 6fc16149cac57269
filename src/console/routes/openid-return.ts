import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ServiceError } from '../../core/error.ts'
import type { SignInFault } from '../../core/sign-in/sign-in-fault.ts'
import { clientSignal } from '../../http/client-signal.ts'
import { type Admitted, admitIdentity } from '../../operations/access/admit-identity.ts'
import { SignInRefusal } from '../../operations/access/sign-in-refusal.ts'
import { readServiceKey } from '../../operations/service-key.ts'
import { recordAudit } from '../record-audit.ts'
import { readHostCookie, writeHostCookie } from '../sign-in/host-cookie.ts'
import { browserOf } from '../sign-in/known-browser.ts'
import { callbackPath, flowCookie, type OpenIdDependencies } from '../sign-in/openid/openid-dependencies.ts'
import { reportUnreachable } from '../sign-in/openid/report-unreachable.ts'
import { openFlow, type SignInFlow } from '../sign-in/openid/sign-in-flow.ts'
import { openSession, writeSessionCookie } from '../sign-in/session.ts'
import { returnKeys } from '../sign-in/throttle-keys.ts'

/**
 * GET /console/sign-in/callback: the provider redirects the browser here. The answer redirects to the console, or to the page where the
 * sign-in began with a fault's name.
 */
export function registerOpenidReturn(pages: FastifyInstance, deps: OpenIdDependencies): void {
  const { clock, addresses } = deps
  pages.get(callbackPath, async (request, reply) => {
    reply.header('cache-control', 'no-store')
    const { publicUrl } = addresses()
    const sealed = readHostCookie(flowCookie, request.headers, publicUrl)
    const serviceKey = await readServiceKey(deps, { signal: clientSignal(reply) })
    const flow = sealed === null ? null : openFlow(sealed, serviceKey, clock.now())
    reply.header('set-cookie', writeHostCookie(flowCookie, '', { publicUrl, maxAgeMs: 0, lax: true }))
    try {
      const returned = new URL(request.url, publicUrl)
      if (flow === null || returned.searchParams.get('state') !== flow.state) throw new SignInRefusal('expired')
      await openSessionFor(deps, { request, reply }, await admitReturned(deps, { request, reply, flow, returned }))
      return reply.redirect(flow.page, 303)
    } catch (error) {
      const begunAt = flow?.linkTo == null ? '/console/sign-in' : flow.page
      return reply.redirect(`${begunAt}?fault=${faultOf(deps, request, error)}`, 303)
    }
  })
}

interface Return {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly flow: SignInFlow
  readonly returned: URL
}

async function admitReturned(deps: OpenIdDependencies, { request, reply, flow, returned }: Return): Promise<Admitted> {
  const { openId, throttle } = deps
  const attempt = throttle.begin(returnKeys(request.ip))
  const identity = await openId.provider.finish(returned, flow)
  const admitted = await admitIdentity(deps, { identity, rules: openId.rules, admission: flow }, { signal: clientSignal(reply) })
  attempt.succeeded()
  return admitted
}

async function openSessionFor(
  deps: OpenIdDependencies,
  { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
  { account: { id: accountId, role }, change, earlierRole }: Admitted,
): Promise<void> {
  const { signIn, addresses } = deps
  const opened = { accountId, lifetimeMs: signIn.sessionMs, ...browserOf(request) }
  const session = await openSession(deps, opened, { signal: clientSignal(reply) }).catch((error: unknown) => {
    throw error instanceof ServiceError && error.code === 'invalid_token' ? new SignInRefusal('locked') : error
  })
  reply.header('set-cookie', writeSessionCookie(session, { publicUrl: addresses().publicUrl, maxAgeMs: signIn.sessionMs }))
  if (change === 'created') await recordAudit(deps, request, 'account-created', { accountId, subject: accountId, detail: role })
  if (change === 'joined') await recordAudit(deps, request, 'joined', { accountId, detail: role })
  if (change !== 'none') await recordAudit(deps, request, 'identity-linked', { accountId, subject: accountId })
  if (earlierRole !== null)
    await recordAudit(deps, request, 'account-changed', { accountId, subject: accountId, detail: JSON.stringify({ role, by: 'groups' }) })
  await recordAudit(deps, request, 'signed-in', { accountId, detail: 'with the organisation' })
}

function faultOf(deps: OpenIdDependencies, request: FastifyRequest, error: unknown): SignInFault {
  const { onSignInRefused, onFault } = deps
  onSignInRefused({ address: request.ip })
  const isBusy = error instanceof ServiceError && error.code === 'rate_limit_exceeded'
  const fault = error instanceof SignInRefusal ? error.fault : isBusy ? 'busy' : 'refused'
  const cause = error instanceof SignInRefusal ? error.cause : error
  if (error instanceof SignInRefusal && fault === 'unreachable') reportUnreachable(deps, request.id, error)
  else if (fault === 'refused') onFault({ requestId: request.id, error: cause ?? error })
  return fault
}
