import type { IncomingMessage } from 'node:http'
import { type Caller, scopes } from '../core/access-token.ts'
import { type Account, isEnabled } from '../core/account.ts'
import { ServiceError } from '../core/error.ts'
import type { AccountStore } from '../core/ports/account-store.ts'
import type { Clock } from '../core/ports/clock.ts'
import type { Abortable } from '../core/waiting.ts'
import { RecentValues } from '../operations/access/recent-values.ts'

/** The parts of a request without a token that decide whether it is trusted. */
export interface LoopbackRequest extends Pick<IncomingMessage, 'method' | 'headers' | 'httpVersion'> {
  readonly socket: Pick<IncomingMessage['socket'], 'remoteAddress' | 'localPort'>
}

const ownAddresses: readonly (string | undefined)[] = ['127.0.0.1', '::1', '::ffff:127.0.0.1']
const ownNames = ['localhost', '127.0.0.1', '[::1]']

/** Headers that proxies and tunnels add. */
const forwarding =
  /^(?:forwarded|via|x-forwarded.*|x-original-.*|x-(?:real|client|cluster-client)-ip|true-client-ip|cf-.*|fly-.*|tailscale-.*|ngrok-.*)$/

/**
 * Why a request without a token does not come from a program on this machine, as the end of a sentence; null = it does.
 *
 * The address alone is not enough: web pages can make a browser on this machine send requests, under any host name that resolves to this
 * address, and a proxy on this machine forwards requests of strangers.
 */
export function findLoopbackFault({ method = '', headers, httpVersion, socket }: LoopbackRequest): string | null {
  if (!ownAddresses.includes(socket.remoteAddress)) return 'and this request comes from another'
  // Proxies that add no header speak HTTP/1.0 by default.
  if (httpVersion !== '1.1' || Object.keys(headers).some((name) => forwarding.test(name))) return 'and this request comes through a proxy'
  const { host, origin, 'sec-fetch-site': site } = headers
  const port = `:${socket.localPort}`
  const hosts = ownNames.flatMap((name) => (port === ':80' ? [name, name + port] : [name + port]))
  if (host === undefined || !hosts.includes(host.toLowerCase())) return `and this request names another host than ${hosts[0]}`
  if (origin !== undefined && origin.toLowerCase() !== `http://${host.toLowerCase()}`) return 'and this request comes from a web page'
  const isTyped = site === 'none' && (method === 'GET' || method === 'HEAD')
  return site === undefined || site === 'same-origin' || isTyped ? null : 'and this request comes from a web page'
}

/**
 * Finds the account for programs on this machine without a token: the oldest owner's.
 *
 * @returns A function that throws `missing_token` for requests that do not come from such a program.
 */
export function createLoopbackCaller({
  accounts,
  clock,
}: {
  readonly accounts: Pick<AccountStore, 'list'>
  readonly clock: Clock
}): (request: LoopbackRequest, options: Abortable) => Promise<Caller> {
  const recent = new RecentValues<Account | undefined>(clock)
  return async (request, options) => {
    const fault = findLoopbackFault(request)
    if (fault !== null)
      throw new ServiceError('missing_token', `Send an access token; without one only programs on this machine are answered, ${fault}.`)
    const owner = await recent.get('owner', async (looking) => oldestOwner(await accounts.list(looking)), options)
    if (owner === undefined) throw new ServiceError('missing_token', 'Send an access token; there is no owner to act for without one.')
    return { accountId: owner.id, tokenId: null, scopes, accountLimits: owner.limits, ownerSeesCauses: true }
  }
}

function oldestOwner(accounts: readonly Account[]): Account | undefined {
  return accounts.filter((account) => account.role === 'owner' && isEnabled(account)).toSorted((a, b) => a.createdAt - b.createdAt)[0]
}
