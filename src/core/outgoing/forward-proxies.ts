/** A proxy that connections to the outside go through. */
export interface ForwardProxy {
  /** `http://` or `https://`, with the name and password that it wants: not to be shown. */
  readonly url: string
  /** Its host and port, to be shown. */
  readonly name: string
}

/** Which connections go through which proxy. */
export interface ForwardProxies {
  /** For addresses that begin with http://; null = they are reached directly. */
  readonly http: ForwardProxy | null
  /** The same for https://. */
  readonly https: ForwardProxy | null
  /** Hosts that are reached directly all the same, as `NO_PROXY` writes them, in lower case. */
  readonly exceptions: readonly string[]
}

/** What a proxy did not do for us; the message names it by host and port. */
export class ProxyFault extends Error {}

/** A proxy that wants to know who asks, or does not believe it; the protocol is that of the address behind it. */
export function wantsLogin(proxy: string, protocol: string): ProxyFault {
  const as = `http://name:password@${proxy}`
  return new ProxyFault(
    `The proxy ${proxy} needs a name and password, or other ones (407); write them into ${settingOf(protocol)} as ${as}.`,
  )
}

/** Proxies that name themselves in what they answer on their own. */
const ownServers = /^(?:squid|tinyproxy|privoxy|mitmproxy|polipo)\b/i
/** The words of RFC 9209 and of Squid for a server that the request never came to. */
const neverReached = /^(?:dns_|destination_|connection_(?:refused|timeout|limit_reached)|ERR_(?:CONNECT_FAIL|DNS_FAIL|CANNOT_FORWARD))/

/** What a proxy answers in place of a server. */
export interface ProxyAnswer {
  readonly fault: ProxyFault
  /** Whether the proxy says that the server never got the request. */
  readonly isUnbegun: boolean
}

/**
 * The fault of a proxy that answered 502, 503 or 504 itself; null where the answer may be the server's.
 *
 * @see RFC 9209, section 2.3
 */
export function proxyAnswerIn(
  proxy: string,
  status: number,
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
): ProxyAnswer | null {
  if (status !== 502 && status !== 503 && status !== 504) return null
  const standard = /;\s*error="?([a-z_]+)/.exec(String(headers['proxy-status'] ?? ''))?.[1]
  const reason = standard ?? (headers['x-squid-error'] === undefined ? undefined : String(headers['x-squid-error']).slice(0, 60))
  if (reason === undefined && !ownServers.test(String(headers.server ?? ''))) return null
  const fault = new ProxyFault(`The proxy ${proxy} answered ${status} itself${reason === undefined ? '' : ` (${reason})`}.`)
  return { fault, isUnbegun: reason !== undefined && neverReached.test(reason) }
}

/** The setting that names the proxy of a protocol, for people. */
export function settingOf(protocol: string): string {
  return protocol === 'https:' ? 'https-proxy (HTTPS_PROXY)' : 'http-proxy (HTTP_PROXY)'
}

/** The fault of a proxy that an error came from; null = it came from none. */
export function proxyFaultIn(error: unknown): ProxyFault | null {
  if (error instanceof ProxyFault) return error
  return error instanceof Error && error.cause !== undefined ? proxyFaultIn(error.cause) : null
}
