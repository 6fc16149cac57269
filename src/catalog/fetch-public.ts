import { type Agent, type ClientRequest, type IncomingMessage, request as requestPlain } from 'node:http'
import { request as requestSecure } from 'node:https'
import type { Duplex } from 'node:stream'
import { useAgent } from 'request-filtering-agent'
import { limitInterim, noOwnAnswer } from '../core/limits/limit-interim.ts'
import { BrokenOff } from './broken-off.ts'

const mostRedirects = 5

/** What one may fetch from where. */
export interface FetchRules {
  /** Lower-case names and addresses of hosts that may be reached by plain http and in private networks. */
  readonly trustedHosts: readonly string[]
}

export interface FetchTarget {
  readonly address: URL
  /** Byte to begin with; the answer's status says whether the server did. */
  readonly from: number
  /** Sent to the host of the address alone, never to where it leads on; null = none. */
  readonly bearer?: string | null
}

/**
 * Gets a file from the web: by https and from public addresses only, but for hosts named in the rules. Addresses are checked
 * when the connection is made, on the resolved IP, at every redirect again.
 *
 * @param options.explain What to do about a refusal, where more is known than its status.
 * @throws {Error} naming the address and what to do.
 */
export async function fetchPublic(
  { address, from, bearer = null }: FetchTarget,
  rules: FetchRules,
  { signal, explain = () => null }: { readonly signal: AbortSignal; readonly explain?: (status: number) => string | null },
): Promise<IncomingMessage> {
  let target = address
  for (let redirects = 0; redirects <= mostRedirects; redirects++) {
    const authorization = bearer !== null && target.origin === address.origin ? { authorization: `Bearer ${bearer}` } : {}
    const headers = { ...(from > 0 && { range: `bytes=${from}-` }), ...authorization }
    const response = await send(target, headers, rules, signal)
    const { statusCode = 0, headers: answered } = response
    if (statusCode === 200 || statusCode === 206) return response
    response.destroy()
    if (statusCode < 300 || statusCode >= 400 || answered.location === undefined || !URL.canParse(answered.location, target.href))
      throw new Error(explain(statusCode) ?? `${target} answered ${statusCode}; check the address.`)
    target = new URL(answered.location, target)
  }
  throw new Error(`${address} leads on more than ${mostRedirects} times; check the address.`)
}

async function send(
  address: URL,
  headers: Readonly<Record<string, string>>,
  { trustedHosts }: FetchRules,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const host = address.hostname.replace(/^\[|\]$/g, '')
  const trusted = trustedHosts.includes(host)
  const byName = `name ${host} in the setting pull-hosts to allow it.`
  if (address.protocol !== 'https:' && !(trusted && address.protocol === 'http:'))
    throw new Error(`${address} is not reached by https, so anybody on the way could change it; ${byName}`)
  // The library's types are older than Node's; both agents are Node's own subclassed.
  const agent: Agent = useAgent(address.href, { keepAlive: false, allowPrivateIPAddress: trusted, allowMetaIPAddress: trusted })
  const request = (address.protocol === 'https:' ? requestSecure : requestPlain)(address.href, {
    agent,
    signal,
    headers,
  })
  request.end()
  try {
    return await answerTo(request)
  } catch (cause) {
    signal.throwIfAborted()
    if (cause === noOwnAnswer) throw new Error(`${address} sends answers to come (1xx), and none of its own; check the address.`, { cause })
    const refused = cause instanceof Error && /is not allowed/.test(cause.message)
    if (refused) throw new Error(`${address} leads into a private network; ${byName}`, { cause })
    throw new BrokenOff(`${address} cannot be reached; check the address and the network.`, { cause })
  }
}

/** What asks for another protocol is an answer too: else nobody would hear of it, nor of the end of the connection. */
function answerTo(request: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request.once('response', resolve)
    request.once('error', reject)
    limitInterim(request)
    request.once('upgrade', (response: IncomingMessage, socket: Duplex) => {
      socket.destroy()
      resolve(response)
    })
  })
}
