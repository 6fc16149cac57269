/** A proxy for outgoing connections. */
export interface ForwardProxy {
  /** `http://` or `https://` URL, with user name and password if required; never shown. */
  readonly url: string
  /** Host and port, safe to show. */
  readonly name: string
}

/** Proxies for outgoing connections. */
export interface ForwardProxies {
  /** Proxy for http:// URLs; null = direct connections. */
  readonly http: ForwardProxy | null
  /** Proxy for https:// URLs; null = direct connections. */
  readonly https: ForwardProxy | null
  /** Hosts to connect to directly, in the format of `NO_PROXY`, in lower case. */
  readonly exceptions: readonly string[]
}

/** A failure of a proxy; the message names its host and port. */
export class ProxyFault extends Error {}

/**
 * The fault of a proxy that requires a login or rejects it.
 *
 * @param protocol Protocol of the target URL.
 */
export function wantsLogin(proxy: string, protocol: string): ProxyFault {
  const as = `http://name:password@${proxy}`
  return new ProxyFault(
    `The proxy ${proxy} requires a name and password or rejects the given ones (407); set them in ${settingOf(protocol)} as ${as}.`,
  )
}

/** `Server` headers of proxies that answer in their own name. */
const ownServers = /^(?:squid|tinyproxy|privoxy|mitmproxy|polipo)\b/i
/** Error names of RFC 9209 and Squid for a server that never received the request. */
const neverReached = /^(?:dns_|destination_|connection_(?:refused|timeout|limit_reached)|ERR_(?:CONNECT_FAIL|DNS_FAIL|CANNOT_FORWARD))/

/** An answer of a proxy in place of the server's. */
export interface ProxyAnswer {
  readonly fault: ProxyFault
  /** Whether the proxy reports that the server never received the request. */
  readonly isNotStarted: boolean
}

/**
 * The fault of a proxy that returned 502, 503 or 504 itself; null if the answer may be the server's.
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
  return { fault, isNotStarted: reason !== undefined && neverReached.test(reason) }
}

/** Name of the setting for a protocol's proxy. */
export function settingOf(protocol: string): string {
  return protocol === 'https:' ? 'https-proxy (HTTPS_PROXY)' : 'http-proxy (HTTP_PROXY)'
}

/** The proxy fault in an error's chain of causes; null = none. */
export function proxyFaultIn(error: unknown): ProxyFault | null {
  if (error instanceof ProxyFault) return error
  return error instanceof Error && error.cause !== undefined ? proxyFaultIn(error.cause) : null
}
