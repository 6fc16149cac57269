import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import Type from 'typebox'
import { ServiceError } from '../../core/error.ts'
import { clientSignal } from '../../http/client-signal.ts'
import { hashSecretText } from '../../operations/access/secret-text.ts'
import type { ConsoleDependencies, ConsoleSettings, SignInSettings } from '../console-dependencies.ts'
import type { Credentials, CurrentSession, SecondFactorRequired, SessionList, SignedIn, SignInWays } from '../contract/session.ts'
import { type BodyReader, createBodyReader } from '../read-console-input.ts'
import { recordAudit } from '../record-audit.ts'
import { canOwnersSignIn } from '../sign-in/can-owners-sign-in.ts'
import { browserOf, readKnownBrowser, type SignInSecret, writeKnownBrowser } from '../sign-in/known-browser.ts'
import { passkeySite } from '../sign-in/passkeys/passkey-site.ts'
import type { PasswordHasher } from '../sign-in/password-hasher.ts'
import { type GatePassed, passSecondFactor } from '../sign-in/second-factor-gate.ts'
import {
  closeSession,
  endSession,
  findSessionAccount,
  listOpenSessions,
  openSession,
  readSessionCookie,
  writeSessionCookie,
} from '../sign-in/session.ts'
import { codeField, passwordField } from '../sign-in/sign-in-fields.ts'
import type { SignInThrottle } from '../sign-in/sign-in-throttle.ts'
import { personOf } from '../sign-in/signed-in.ts'
import { knownBrowserKeys, signInKeys } from '../sign-in/throttle-keys.ts'

export type SessionRouteDependencies = Pick<
  ConsoleDependencies,
  'accounts' | 'audit' | 'bodies' | 'clock' | 'documents' | 'addresses' | 'onSignInRefused'
> & {
  readonly passwords: PasswordHasher
  readonly throttle: SignInThrottle
  readonly signIn: SignInSettings
}

const readBody: BodyReader<Credentials> = createBodyReader({
  email: Type.String({ maxLength: 254 }),
  password: passwordField,
  code: Type.Optional(codeField),
})

/** /console/api/session: the signed-in account, signing in and signing out. */
export function registerSession(
  api: FastifyInstance,
  deps: SessionRouteDependencies & Pick<ConsoleSettings, 'command' | 'currency' | 'mostBodyBytes'>,
): void {
  const { accounts, addresses, bodies, passwords, throttle, onSignInRefused, signIn, command, currency, mostBodyBytes } = deps

  /** Cached once an account can sign in, because anyone may send this request. */
  let isInUse = false
  api.get('/console/api/session', async (request, reply): Promise<CurrentSession> => {
    const secret = readSessionCookie(request.headers, addresses().publicUrl)
    const account = secret === null ? null : await findSessionAccount(deps, secret, { signal: clientSignal(reply) })
    isInUse ||= account !== null || (await canOwnersSignIn(deps, { signal: clientSignal(reply) })).anybody
    const log = account === null ? null : bodies.of(account.id)
    return {
      account,
      requestLog: log && { since: log.since, keepMs: log.keepMs, until: log.until },
      ways: signInWays(deps),
      firstRun: !isInUse,
      command,
      currency,
      mostBodyBytes,
    }
  })

  api.post('/console/api/session', async (request, reply): Promise<SignedIn | SecondFactorRequired> => {
    const { email, password, code } = readBody(request)
    requirePasswords(signIn)
    const signal = clientSignal(reply)
    const found = await accounts.findByEmail(email, { signal })
    const secret = found && { accountId: found.account.id, passwordHash: found.passwordHash }
    const browser = secret && readKnownBrowser(request.headers, secret, addresses().publicUrl)
    const attempt = throttle.begin(browser === null ? signInKeys(email, request.ip) : knownBrowserKeys(browser))
    const fits = await passwords.verify(password, found?.passwordHash ?? null)
    if (found === null || secret === null || !fits || found.account.disabledAt !== null) {
      onSignInRefused({ address: request.ip })
      throw new ServiceError('invalid_token', 'The e-mail address or password is wrong; check both.')
    }
    attempt.succeeded()
    const passed = await passSecondFactor(deps, { account: found.account, code, from: { address: request.ip, browser } }, { signal }).catch(
      (error: unknown) => {
        onSignInRefused({ address: request.ip })
        throw error
      },
    )
    if ('asks' in passed) return passed
    const session = { ...secret, lifetimeMs: signIn.sessionMs, ...browserOf(request) }
    signInBrowser(reply, deps, { ...secret, session: await openSession(deps, session, { signal }) })
    await recordPassing(deps, request, secret.accountId, passed)
    await recordAudit(deps, request, 'signed-in', { accountId: secret.accountId, detail: browser === null ? 'a browser not known' : null })
    return { account: found.account, recoveryCodes: passed.recoveryCodes }
  })

  api.delete('/console/api/session', async (request, reply) => {
    const { publicUrl } = addresses()
    const secret = readSessionCookie(request.headers, publicUrl)
    const signal = clientSignal(reply)
    const account = secret === null ? null : await findSessionAccount(deps, secret, { signal })
    if (secret !== null) await closeSession(deps, secret, { signal })
    if (account !== null) await recordAudit(deps, request, 'signed-out', { accountId: account.id })
    return reply
      .header('set-cookie', writeSessionCookie('', { publicUrl, maxAgeMs: 0 }))
      .code(204)
      .send()
  })
}

async function recordPassing(
  deps: SessionRouteDependencies,
  request: FastifyRequest,
  accountId: string,
  { by }: GatePassed,
): Promise<void> {
  if (by === 'recovery') await recordAudit(deps, request, 'recovery-code-used', { accountId, subject: accountId })
  if (by === 'enrolment') await recordAudit(deps, request, 'second-factor-set', { accountId, subject: accountId })
}

/** Sets the browser's cookies: the session, and one that identifies a known browser later. */
export function signInBrowser(
  reply: FastifyReply,
  { addresses, signIn }: Pick<SessionRouteDependencies, 'addresses' | 'signIn'>,
  { session, ...secret }: SignInSecret & { readonly session: string },
): void {
  const { publicUrl } = addresses()
  reply.header('set-cookie', writeSessionCookie(session, { publicUrl, maxAgeMs: signIn.sessionMs }))
  reply.header('set-cookie', writeKnownBrowser(secret, publicUrl))
}

/** @throws {ServiceError} `insufficient_scope` when only the organisation's provider may sign in. */
export function requirePasswords({ local }: SignInSettings): void {
  if (!local) throw new ServiceError('insufficient_scope', 'Sign in with your organisation; this service takes no passwords.')
}

/** The ways to sign in that pages offer before the sign-in. */
export function signInWays({ signIn, addresses }: Pick<SessionRouteDependencies, 'signIn' | 'addresses'>): SignInWays {
  const { local, openId } = signIn
  return { password: local, passkey: passkeySite({ signIn, addresses }) !== null, organisation: openId?.label ?? null }
}

/** /console/api/sessions: the browsers that are signed in to the caller's account. */
export function registerSessions(
  own: FastifyInstance,
  deps: Pick<ConsoleDependencies, 'accounts' | 'audit' | 'clock' | 'addresses'>,
): void {
  const hashOf = ({ headers }: FastifyRequest) => hashSecretText(readSessionCookie(headers, deps.addresses().publicUrl) ?? '')

  own.get('/console/api/sessions', async (request, reply): Promise<SessionList> => {
    const sessions = await listOpenSessions(deps, personOf(request).id, { signal: clientSignal(reply) })
    const current = hashOf(request)
    return { sessions: sessions.map(({ hash, accountId: _, ...shown }) => ({ id: hash, current: hash === current, ...shown })) }
  })

  own.delete('/console/api/sessions', async (request, reply) => {
    const options = { signal: clientSignal(reply) }
    const accountId = personOf(request).id
    const current = hashOf(request)
    const others = (await deps.accounts.listSessions(accountId, options)).filter(({ hash }) => hash !== current)
    for (const { hash } of others) await deps.accounts.deleteSession(hash, options)
    if (others.length > 0) await recordAudit(deps, request, 'sessions-ended', { detail: String(others.length) })
    return reply.code(204).send()
  })

  own.delete<{ Params: { id: string } }>('/console/api/sessions/:id', async (request, reply) => {
    await endSession(deps, { hash: request.params.id, accountId: personOf(request).id }, { signal: clientSignal(reply) })
    await recordAudit(deps, request, 'sessions-ended', { detail: '1' })
    return reply.code(204).send()
  })
}
