import { proxyFaultIn } from '../../core/outgoing/proxy-fault.ts'
import type { Spreading } from '../pull/spreading.ts'
import type { FetchRules } from '../web/fetch-public.ts'

/** Where the hub is and who asks it. */
export interface HubAccess extends FetchRules {
  /** Origin of the hub or of a mirror, without a slash at its end. */
  readonly endpoint: string
  /** An access token; null = only what is public. */
  readonly token: string | null
  /** How its interface is asked; absent = directly. */
  readonly fetch?: typeof fetch
  /** Whether nothing outside this machine is asked; absent = it may be. */
  readonly offline?: boolean
  /** How large files are fetched; absent = the usual way. */
  readonly spreading?: Spreading
  readonly wait: (ms: number, options: { readonly signal: AbortSignal }) => Promise<void>
}

const mostTries = 5
const longestWaitMs = 60_000

/**
 * Asks the hub once more where it is busy: it names the seconds in `Retry-After`, or the pause doubles from one second on.
 * Its address must be https unless the operator has trusted the host by name.
 */
export function createHubFetch({ endpoint, token, trustedHosts, wait, fetch: ask = fetch }: HubAccess, signal: AbortSignal): typeof fetch {
  const { protocol, hostname, origin } = new URL(endpoint)
  if (protocol !== 'https:' && !trustedHosts.includes(hostname))
    throw new Error(
      `${endpoint} does not use https, so its files could be changed on the way; add ${hostname} to the setting pull-hosts to allow it.`,
    )
  if (token !== null && !token.startsWith('hf_'))
    throw new Error('The hub\'s token must begin with "hf_"; correct or remove HF_TOKEN, hub-token or hub-token-file.')
  return async (input, init) => {
    // A list goes on at an address that the answer names, and the token goes with it.
    if (new URL(input instanceof Request ? input.url : input).origin !== origin)
      throw new Error(`${endpoint} redirects to another host; use that host as the hub.`)
    for (let tried = 1; ; tried++) {
      const response = await ask(input, { ...init, signal }).catch((cause: unknown) => {
        signal.throwIfAborted()
        const fault = proxyFaultIn(cause)
        if (fault !== null) throw new Error(`${endpoint} cannot be reached: ${fault.message}`, { cause })
        throw new Error(`${endpoint} cannot be reached; check the network, or name a mirror in HF_ENDPOINT.`, { cause })
      })
      if ((response.status !== 429 && response.status < 500) || tried === mostTries) return response
      await response.body?.cancel()
      const seconds = Number(response.headers.get('retry-after'))
      await wait(Math.min(seconds > 0 ? seconds * 1000 : 1000 * 2 ** (tried - 1), longestWaitMs), { signal })
    }
  }
}

/** What to do about a refusal of the hub. */
export function explainRefusal(
  status: number,
  repository: string,
  { endpoint, token }: Pick<HubAccess, 'endpoint' | 'token'>,
): string | null {
  const page = `${endpoint}/${repository}`
  if (status === 401 || (status === 403 && token === null))
    return `${repository} is gated, private or does not exist: open ${page}, accept its terms if it has any, and set a token in HF_TOKEN or hub-token-file.`
  if (status === 403) return `The token has no access to ${repository}: open ${page} with its account, accept the terms and try again.`
  if (status === 404) return `${repository} does not exist in this revision; see ${page}, or use sepia model search.`
  if (status === 429) return `${endpoint} has limited the number of requests; wait a few minutes, or set a token in HF_TOKEN.`
  return status >= 500 ? `${endpoint} answered ${status}; try again later.` : null
}
