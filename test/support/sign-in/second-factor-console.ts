import assert from 'node:assert/strict'
import type { SignInSettings } from '../../../src/console/console-dependencies.ts'
import { startConsoleService } from '../console-service.ts'
import { shownCode, wrongCodes } from './shown-code.ts'

export const email = 'ada@example.org'
export const password = 'a poet of science'
export const options = { signal: new AbortController().signal }

/** A console whose owner has not joined yet. */
export async function openSecondFactors(signIn: Partial<SignInSettings> = {}) {
  const service = await startConsoleService({ signIn })
  const signInWith = (more: object = {}, cookie?: string) =>
    service.send('POST', '/console/api/session', { body: { email, password, ...more }, ...(cookie !== undefined && { cookie }) })
  const ask = (path: string, body: object, cookie: string) => service.send('POST', `/console/api/second-factor${path}`, { body, cookie })
  const code = (secret: string) => shownCode(secret, service.clock.now())
  const wrong = (secret: string, guess = 0) => wrongCodes(secret, service.clock.now(), guess + 1)[guess] ?? ''
  const actions = async () => (await service.store.audit.list({ before: null, limit: 50 }, options)).map(({ action }) => action)
  return { ...service, signInWith, ask, code, wrong, actions }
}

/** An owner with a second factor that an app holds. */
export async function openEnrolled(signIn: Partial<SignInSettings> = {}) {
  const service = await openSecondFactors(signIn)
  const cookie = await service.join(service.firstCode, email)
  const { secret, address } = (await service.ask('', { password }, cookie)).json()
  const confirmed = await service.ask('/confirmation', { code: service.code(secret) }, cookie)
  assert.equal(confirmed.statusCode, 200)
  const codes: readonly string[] = confirmed.json().recoveryCodes
  await service.clock.advance(60_000)
  return { ...service, cookie, secret: String(secret), address: String(address), codes }
}
