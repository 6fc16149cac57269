import assert from 'node:assert/strict'
import type { Account } from '../../../src/core/account.ts'
import type { SignInFault } from '../../../src/core/sign-in/sign-in-fault.ts'
import type { AdmissionRules } from '../../../src/operations/access/admit-identity.ts'
import { type ConsoleService, startConsoleService } from '../console-service.ts'
import { CookieJar } from './cookie-jar.ts'
import { startProvider, type TestPerson, type TestProvider } from './openid-provider.ts'
import { visitProvider } from './visit-provider.ts'

const publicUrl = 'http://127.0.0.1:8080'
/** A person of the organisation. */
export const ada: TestPerson = { sub: 'ada', name: 'Ada Lovelace', email: 'ada@example.org', email_verified: true, groups: ['staff'] }
/** Lets everybody in. */
export const anybody: AdmissionRules = { createAccounts: true, emailDomains: [], roles: [] }

/** Starts a console whose people sign in with a provider in this process. */
export async function openOrganisation({
  rules = {},
  url = publicUrl,
  local = true,
}: {
  rules?: Partial<AdmissionRules>
  url?: string
  local?: boolean
} = {}): Promise<OrganisationService & AsyncDisposable> {
  await using stack = new AsyncDisposableStack()
  const provider = stack.use(await startProvider([`${url}/console/sign-in/callback`]))
  const { issuer, clientId, clientSecret } = provider
  const settings = { issuer, clientId, clientSecret, scopes: 'openid email profile', label: 'Example', groupsClaim: 'groups' }
  const signIn = { local, openId: { ...settings, rules: { ...anybody, ...rules } } }
  const service = await startConsoleService({ publicUrl: url, signIn })
  stack.defer(() => service.server.close())
  const owned = stack.move()
  return { ...service, provider, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}

/** A console beside its provider. */
export type OrganisationService = ConsoleService & { readonly provider: TestProvider }

/** Begins in a new browser, or in the one with this jar. */
export async function begin(
  service: ConsoleService,
  { jar = new CookieJar(), body = {} }: { jar?: CookieJar; body?: object } = {},
): Promise<{ answer: Awaited<ReturnType<ConsoleService['send']>>; jar: CookieJar; address: string }> {
  const answer = await service.send('POST', '/console/api/sign-in/openid', { body, cookie: jar.header() })
  jar.take(answer.headers['set-cookie'])
  return { answer, jar, address: answer.statusCode === 200 ? String(answer.json().address) : '' }
}

/** Comes back from the provider, as a browser does that another site leads here. */
export async function comeBack(service: ConsoleService, jar: CookieJar, returned: string): Promise<string> {
  const { pathname, search } = new URL(returned)
  const headers = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }
  const answer = await service.send('GET', `${pathname}${search}`, { cookie: jar.header(), headers })
  assert.equal(answer.statusCode, 303)
  jar.take(answer.headers['set-cookie'])
  return String(answer.headers.location)
}

/** The whole way there and back; says where it ended and who is signed in then. */
export async function signIn(
  service: OrganisationService,
  person: TestPerson | null,
  more: { jar?: CookieJar; body?: object } = {},
): Promise<{ location: string; jar: CookieJar; account: Account }> {
  service.provider.person = person
  const { jar, address } = await begin(service, more)
  const location = await comeBack(service, jar, await visitProvider(address))
  const { account } = (await service.send('GET', '/console/api/session', { cookie: jar.header() })).json()
  return { location, jar, account }
}

/** Where the browser is led with a fault. */
export const faultPage = (name: SignInFault): string => `/console/sign-in?fault=${name}`
