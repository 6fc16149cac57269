import type { ClientAuth, Configuration } from 'openid-client'
import type { Clock } from '../../../core/ports/clock.ts'
import type { ProviderIdentity } from '../../../operations/access/admit-identity.ts'
import { SignInRefusal } from '../../../operations/access/sign-in-refusal.ts'
import type { OpenIdSettings } from './openid-settings.ts'
import { readClaims } from './read-claims.ts'
import type { SignInFlow } from './sign-in-flow.ts'

/** Lifetime of the provider's cached metadata. */
const rememberedMs = 60 * 60 * 1000
/** Pause after the provider did not answer. */
const pauseMs = 2000
/** Interval at which its silence is reported again. */
const newsMs = 60_000
const answerSeconds = 10
const clockToleranceSeconds = 30

interface Discovery {
  readonly at: number
  readonly configuration: Promise<Configuration>
}

/** The data of a sign-in that must be kept until the browser returns. */
export type FlowSecrets = Pick<SignInFlow, 'state' | 'nonce' | 'verifier'>

/**
 * An OpenID Connect provider. Its metadata is fetched at the first sign-in, so that the service starts without it; a failed fetch is repeated
 * with a later sign-in.
 */
export class OpenIdProvider {
  readonly #settings: OpenIdSettings
  readonly #clock: Clock
  #discovery: Discovery | null = null
  #reportedAt = Number.NEGATIVE_INFINITY
  #failure: { readonly at: number; readonly error: unknown } | null = null

  constructor(settings: OpenIdSettings, clock: Clock) {
    this.#settings = settings
    this.#clock = clock
  }

  /**
   * Begins a sign-in: the address for the browser, and the data to keep until it returns.
   *
   * @throws {SignInRefusal} `unreachable`.
   */
  async begin(redirectUrl: string): Promise<{ readonly address: string; readonly secrets: FlowSecrets }> {
    const client = await import('openid-client')
    const configuration = await this.#discover()
    const secrets = { state: client.randomState(), nonce: client.randomNonce(), verifier: client.randomPKCECodeVerifier() }
    const address = client.buildAuthorizationUrl(configuration, {
      redirect_uri: redirectUrl,
      response_type: 'code',
      scope: this.#settings.scopes,
      state: secrets.state,
      nonce: secrets.nonce,
      code_challenge: await client.calculatePKCECodeChallenge(secrets.verifier),
      code_challenge_method: 'S256',
    })
    return { address: address.href, secrets }
  }

  /**
   * Finishes a sign-in: exchanges the code, and checks the identity's issuer, audience, time and nonce. Its signature is not checked, since
   * the provider itself sends it.
   *
   * @see OpenID Connect Core 1.0, section 3.1.3.7, item 6
   * @param returned The whole address of the redirect.
   * @throws {SignInRefusal} `cancelled`, `refused` or `unreachable`.
   */
  async finish(returned: URL, { state, nonce, verifier }: FlowSecrets): Promise<ProviderIdentity> {
    const client = await import('openid-client')
    const configuration = await this.#discover()
    try {
      const tokens = await client.authorizationCodeGrant(configuration, returned, {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        idTokenExpected: true,
      })
      const claims = tokens.claims()
      if (claims === undefined) throw new TypeError('The provider sent no identity.')
      const more =
        configuration.serverMetadata().userinfo_endpoint === undefined
          ? {}
          : await client.fetchUserInfo(configuration, tokens.access_token, claims.sub)
      return readClaims({ ...more, ...claims }, this.#settings)
    } catch (error) {
      const cancelled = error instanceof client.AuthorizationResponseError && error.error === 'access_denied'
      throw new SignInRefusal(cancelled ? 'cancelled' : isSilence(error) ? 'unreachable' : 'refused', error)
    }
  }

  /** Whether the provider's silence should be logged. Returns true once per interval. */
  isSilenceNews(): boolean {
    const now = this.#clock.steadyNow()
    if (now - this.#reportedAt < newsMs) return false
    this.#reportedAt = now
    return true
  }

  /** Fetches the provider's metadata, once for all sign-ins at the same time. */
  async #discover(): Promise<Configuration> {
    const now = this.#clock.steadyNow()
    if (this.#failure !== null && now - this.#failure.at < pauseMs) throw new SignInRefusal('unreachable', this.#failure.error)
    if (this.#discovery === null || now - this.#discovery.at >= rememberedMs) this.#discovery = { at: now, configuration: this.#lookUp() }
    try {
      return await this.#discovery.configuration
    } catch (error) {
      this.#discovery = null
      this.#failure = { at: this.#clock.steadyNow(), error }
      throw new SignInRefusal('unreachable', error)
    }
  }

  async #lookUp(): Promise<Configuration> {
    const client = await import('openid-client')
    const { issuer, clientId, clientSecret, fetch: ask } = this.#settings
    const url = new URL(issuer)
    return client.discovery(
      url,
      clientId,
      { [client.clockTolerance]: clockToleranceSeconds },
      clientSecret === null ? client.None() : chooseAuthentication(client, clientSecret),
      {
        ...(ask && {
          // Only forms are sent; the types of the two fetch functions differ in other bodies.
          [client.customFetch]: (address, { body, ...rest }) => ask(address, { ...rest, body: body == null ? null : String(body) }),
        }),
        timeout: answerSeconds,
        execute: url.protocol === 'http:' ? [client.allowInsecureRequests] : [],
      },
    )
  }
}

/** The secret is sent in the header, which every provider must support, unless this one declares otherwise. */
function chooseAuthentication(
  { ClientSecretBasic, ClientSecretPost }: Pick<typeof import('openid-client'), 'ClientSecretBasic' | 'ClientSecretPost'>,
  secret: string,
): ClientAuth {
  return (server, ...rest) => {
    const isPost = server.token_endpoint_auth_methods_supported?.includes('client_secret_basic') === false
    return (isPost ? ClientSecretPost(secret) : ClientSecretBasic(secret))(server, ...rest)
  }
}

/** Whether the provider did not answer, as opposed to an answer that was rejected. */
function isSilence(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return (error instanceof TypeError && error.message === 'fetch failed') || ('code' in error && error.code === 'OAUTH_TIMEOUT')
}
