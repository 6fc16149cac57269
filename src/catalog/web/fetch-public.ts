import { type Agent, type IncomingMessage, request as requestPlain } from 'node:http'
import { request as requestSecure } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { useAgent } from 'request-filtering-agent'
import { answerTo, limitInterimResponses, noFinalResponse } from '../../core/outgoing/client-requests.ts'
import { proxyFaultIn, wantsLogin } from '../../core/outgoing/forward-proxies.ts'
import type { Abortable } from '../../core/waiting.ts'
import { BrokenOff } from '../catalog-fault.ts'

const maxRedirects = 5
/** Maximum silence of a server, before or during its answer. */
const usualSilenceMs = 60_000

/** Rules for downloads. */
export interface FetchRules {
  /** Hosts, in lower case, that may use plain http and private networks. */
  readonly trustedHosts: readonly string[]
  /** Maximum silence of a server; absent = one minute. */
  readonly silenceMs?: number
  /** Whether public addresses may use plain http; absent = only https. */
  readonly allowsPlain?: boolean
  /** Looks up host names; absent = the system's own lookup. */
  readonly lookup?: LookupFunction
  /** Absent = all connections are direct. */
  readonly proxies?: KnownHosts & {
    /** The route through a proxy, named by host and port; null = direct. */
    readonly findRoute: (address: URL) => ProxyRoute | null
  }
}

interface ProxyRoute {
  readonly proxy: string
  readonly openAgent: (options: { readonly keepAlive: boolean }) => Agent
}

export interface FetchTarget {
  readonly address: URL
  /** First byte to fetch; the answer's status shows whether the server supports it. */
  readonly from: number
  /** Sent to the host of the URL only, never after a redirect; null = none. */
  readonly bearer?: string | null
}

/**
 * Downloads a file, only by https and from public addresses, except for trusted hosts. The resolved IP address is checked for every
 * connection and redirect. A proxy resolves names itself, so they are resolved here first; names unknown here are left to the proxy and the
 * check of the certificate.
 *
 * @param options.explain Explains a refusal beyond its status.
 * @throws {Error} naming the address and the fix.
 */
export async function fetchPublic(
  { address, from, bearer = null }: FetchTarget,
  rules: FetchRules,
  { signal, explain = () => null }: { readonly signal: AbortSignal; readonly explain?: (status: number) => string | null },
): Promise<IncomingMessage> {
  let target = address
  for (let redirects = 0; redirects <= maxRedirects; redirects++) {
    const authorization = bearer !== null && target.origin === address.origin ? { authorization: `Bearer ${bearer}` } : {}
    const headers = { ...(from > 0 && { range: `bytes=${from}-` }), ...authorization }
    const response = await send(target, headers, rules, signal)
    const { statusCode = 0, headers: answered } = response
    if (statusCode === 200 || statusCode === 206) return response
    response.destroy()
    const proxy = statusCode === 407 ? proxyOf(target, rules) : null
    if (proxy !== null) throw wantsLogin(proxy, target.protocol)
    if (statusCode < 300 || statusCode >= 400 || answered.location === undefined || !URL.canParse(answered.location, target.href))
      throw new Error(explain(statusCode) ?? `${target} answered ${statusCode}${through(target, rules)}; check the address.`)
    target = new URL(answered.location, target)
  }
  throw new Error(`${address} redirects more than ${maxRedirects} times; check the address.`)
}

/** Names the proxy for a URL in a message; empty = direct. */
export function through(address: URL, rules: FetchRules): string {
  const proxy = proxyOf(address, rules)
  return proxy === null ? '' : ` through the proxy ${proxy}`
}

function proxyOf(address: URL, { proxies }: FetchRules): string | null {
  return proxies?.findRoute(address)?.proxy ?? null
}

async function send(
  address: URL,
  headers: Readonly<Record<string, string>>,
  rules: FetchRules,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const { trustedHosts, proxies, silenceMs = usualSilenceMs, allowsPlain = false, lookup } = rules
  const host = address.hostname.replace(/^\[|\]$/g, '')
  const trusted = trustedHosts.includes(host)
  const byName = `add ${host} to the setting pull-hosts to allow it.`
  if (address.protocol !== 'https:' && !((trusted || allowsPlain) && address.protocol === 'http:'))
    throw new Error(`${address} does not use https, so the file could be changed on the way; ${byName}`)
  const route = proxies?.findRoute(address) ?? null
  if (proxies && route && !trusted && (await isKnownInside(host, proxies, { signal }))) throw leadsInside(address, byName)
  // The library's types are older than Node's; both agents are subclasses of Node's.
  const agent: Agent =
    route?.openAgent({ keepAlive: false }) ??
    useAgent(address.href, { keepAlive: false, allowPrivateIPAddress: trusted, allowMetaIPAddress: trusted })
  const request = (address.protocol === 'https:' ? requestSecure : requestPlain)(address.href, {
    agent,
    signal,
    headers,
    ...(lookup && !trusted && { lookup }),
    ...(route && { connectSignal: signal }),
  })
  request.setTimeout(silenceMs, () =>
    request.destroy(new SilentServer(`${address} sent nothing for ${silenceMs / 1000} s; try again later.`)),
  )
  limitInterimResponses(request)
  request.end()
  try {
    return await answerTo<IncomingMessage>(request)
  } catch (cause) {
    signal.throwIfAborted()
    if (cause === noFinalResponse)
      throw new Error(`${address} sends interim responses (1xx) and no final one; check the address.`, { cause })
    if (cause instanceof SilentServer) throw new BrokenOff(cause.message, { cause })
    const refused = cause instanceof Error && /is not allowed/.test(cause.message)
    if (refused) throw leadsInside(address, byName, { cause })
    const fault = proxyFaultIn(cause)
    if (fault !== null) throw new BrokenOff(`${address} cannot be reached: ${fault.message}`, { cause })
    throw new BrokenOff(`${address} cannot be reached${through(address, rules)}; check the address and the network.`, { cause })
  }
}

class SilentServer extends Error {}

/** An address in a network that is not public. */
export class PrivateAddress extends Error {}

function leadsInside(address: URL, byName: string, options?: ErrorOptions): Error {
  return new PrivateAddress(`${address} is in a private network; ${byName}`, options)
}

/** Time limit for resolving a name. */
const timeoutMs = 3000

/** Resolves hosts on this machine. */
export interface KnownHosts {
  /** Whether an address is not public. */
  readonly isPrivateHost: (address: string) => boolean
  /** Resolves a name; empty = no addresses, or aborted. */
  readonly lookUp: (name: string, options: Abortable) => Promise<readonly string[]>
}

/** Whether a host is a private address, or a name that resolves to one on this machine; names without a dot are always local. */
export async function isKnownInside(host: string, { isPrivateHost, lookUp }: KnownHosts, { signal }: Abortable): Promise<boolean> {
  if (isPrivateHost(host)) return true
  if (isIP(host) !== 0) return false
  if (!host.replace(/\.$/, '').includes('.')) return true
  const addresses = await lookUp(host, { signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]) })
  signal.throwIfAborted()
  return addresses.some(isPrivateHost)
}
