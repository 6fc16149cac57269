import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import Provider, { type Configuration } from 'oidc-provider'

/** The claims of a person from the provider. */
export interface TestPerson {
  readonly sub: string
  readonly name?: string
  readonly email?: string
  readonly email_verified?: boolean
  readonly groups?: readonly string[]
}

/** A real OpenID Connect provider in this process, where everybody is whom the test says. */
export interface TestProvider extends AsyncDisposable {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
  /** The person who signs in from now on; null = the sign-in is cancelled. */
  person: TestPerson | null
  /** Where it may send browsers back to, besides what it began with. */
  allowReturn(url: string): void
  /** Stops answering, or answers again. */
  setUp(up: boolean): Promise<void>
  /** Requests to a path so far. */
  count(path: string): number
}

const clientId = 'sepia'
const clientSecret = 'a secret that both know'

/** @param redirectUrls Where it may send browsers back to. */
export async function startProvider(redirectUrls: readonly string[]): Promise<TestProvider> {
  const requested: string[] = []
  let server = createServer((request, response) => void answer(request, response))
  const port = await listen(server, 0)
  const issuer = `http://127.0.0.1:${port}`
  const state: { person: TestPerson | null } = { person: null }
  const people = new Map<string, TestPerson>()
  const provider = new Provider(issuer, configure(redirectUrls, people))
  const allowed = new Set(redirectUrls)
  provider.Client.prototype.redirectUriAllowed = (url: string) => allowed.has(url)
  const callback = provider.callback()

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (request.url ?? '').split('?')[0] ?? ''
    requested.push(path)
    if (!path.startsWith('/interaction/')) return void callback(request, response)
    const { person } = state
    const result = person === null ? { error: 'access_denied' } : { login: { accountId: person.sub } }
    await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false })
  }

  return {
    issuer,
    clientId,
    clientSecret,
    get person() {
      return state.person
    },
    set person(person) {
      state.person = person
      if (person !== null) people.set(person.sub, person)
    },
    allowReturn: (url) => void allowed.add(url),
    async setUp(up) {
      if (!up) return close(server)
      server = createServer((request, response) => void answer(request, response))
      await listen(server, port)
    },
    count: (path) => requested.filter((each) => each === path).length,
    [Symbol.asyncDispose]: () => close(server),
  }
}

function configure(redirectUrls: readonly string[], people: ReadonlyMap<string, TestPerson>): Configuration {
  return {
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        redirect_uris: [...redirectUrls],
        grant_types: ['authorization_code'],
        response_types: ['code'],
      },
    ],
    pkce: { required: () => true },
    cookies: { keys: ['a key'] },
    scopes: ['openid', 'email', 'profile'],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'groups'] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    findAccount: (_context, sub) => ({ accountId: sub, claims: async () => ({ ...people.get(sub), sub }) as { sub: string } }),
    loadExistingGrant: async ({ oidc }) => {
      const grant = new oidc.provider.Grant({ clientId: oidc.client?.clientId ?? '', accountId: oidc.session?.accountId ?? '' })
      grant.addOIDCScope('openid email profile')
      await grant.save()
      return grant
    },
    renderError: (context, out) => {
      context.body = JSON.stringify(out)
    },
    // Each of these is what the provider warns of when it is left out.
    ttl: { AccessToken: 60, AuthorizationCode: 60, Grant: 60, IdToken: 60, Interaction: 60, Session: 60 },
  }
}

async function listen(server: Server, port: number): Promise<number> {
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

async function close(server: Server): Promise<void> {
  server.closeAllConnections()
  if (server.listening) await new Promise((resolve) => server.close(resolve))
}
