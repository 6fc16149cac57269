import { type ClientRequestArgs, Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { type ForwardProxy, ProxyFault, settingOf, wantsLogin } from '../core/outgoing/forward-proxies.ts'

/** Default time limit for connecting through a proxy. */
const usualConnectMs = 10_000
/** Idle time before TCP keep-alive probes to the proxy. */
const aliveMs = 1000

/** Limits of connections through a proxy. */
export interface ProxyAgentOptions {
  readonly keepAlive: boolean
  /** Time limit until the server is connected; absent = ten seconds. */
  readonly connectMs?: number | undefined
  /** Idle time before a connection is closed; absent = never. */
  readonly idleMs?: number
}

/** Additional options of a request: its signal, needed to abort waiting for a silent proxy. */
interface ConnectionOptions extends ClientRequestArgs {
  readonly connectSignal?: AbortSignal
}

type Connected = (error: Error | null, stream: Duplex) => void

/**
 * An agent whose connections go through a proxy: for http:// by requests in absolute form, for https:// by a tunnel. Node's own agents do
 * both; these name the proxy in what goes wrong, and end what a proxy leaves hanging, at its time and when the request's signal says so.
 */
export function openProxyAgent(protocol: string, proxy: ForwardProxy, options: ProxyAgentOptions): HttpAgent {
  return protocol === 'https:' ? new TunnelAgent(proxy, options) : new AbsoluteFormAgent(proxy, options)
}

class AbsoluteFormAgent extends HttpAgent {
  readonly #attempt: Attempt

  constructor(proxy: ForwardProxy, options: ProxyAgentOptions) {
    super({ ...settingsOf(options), proxyEnv: { http_proxy: proxy.url } })
    this.#attempt = { proxy, connectMs: options.connectMs ?? usualConnectMs }
  }

  override createConnection(options: ConnectionOptions, callback: Connected): Duplex | null | undefined {
    const socket = super.createConnection(options)
    if (!(socket instanceof Socket)) return socket
    const settle = limit(this.#attempt, socket, options, callback)
    socket.once(this.#attempt.proxy.url.startsWith('https:') ? 'secureConnect' : 'connect', () => settle(null, socket))
    socket.once('error', (error) => settle(error, socket))
    return undefined
  }
}

class TunnelAgent extends HttpsAgent {
  readonly #attempt: Attempt

  constructor(proxy: ForwardProxy, options: ProxyAgentOptions) {
    super({ ...settingsOf(options), proxyEnv: { https_proxy: proxy.url } })
    this.#attempt = { proxy, connectMs: options.connectMs ?? usualConnectMs }
  }

  override createConnection(options: ConnectionOptions, callback: Connected): Duplex | null | undefined {
    const waiting: { settle?: Connected } = {}
    // Otherwise Node would count the idle time from here on.
    const unlimited = { ...options, timeout: 0 }
    const socket = super.createConnection(unlimited, (error, stream) => waiting.settle?.(error, stream))
    if (!(socket instanceof Socket)) return socket
    waiting.settle = limit(this.#attempt, socket, options, callback)
    return socket
  }
}

interface Attempt {
  readonly proxy: ForwardProxy
  readonly connectMs: number
}

/** Reports the result of an attempt once; ends it on time-out or abort. */
function limit({ proxy, connectMs }: Attempt, socket: Socket, options: ConnectionOptions, callback: Connected): Connected {
  const { host, port, connectSignal } = options
  const protocol = options.protocol ?? 'http:'
  const target = `${host}:${port ?? (protocol === 'https:' ? 443 : 80)}`
  socket.setKeepAlive(true, aliveMs)
  let isSettled = false
  const settle: Connected = (error, stream) => {
    if (isSettled) return
    isSettled = true
    clearTimeout(timer)
    connectSignal?.removeEventListener('abort', leave)
    callback(error, stream)
  }
  const end = (error: Error): void => {
    settle(error, socket)
    socket.destroy()
  }
  const leave = (): void => end(connectSignal?.reason)
  const timer = setTimeout(() => end(tookTooLong(connectMs, { proxy, target })), connectMs)
  connectSignal?.addEventListener('abort', leave)
  if (connectSignal?.aborted) leave()
  // Errors within the tunnel belong to the server.
  return (error, stream) => settle(error !== null && stream === socket ? describeFault(error, { proxy, target, protocol }) : error, stream)
}

function settingsOf({ keepAlive, idleMs }: ProxyAgentOptions): { readonly keepAlive: boolean; readonly timeout?: number } {
  return { keepAlive, ...(idleMs !== undefined && { timeout: idleMs }) }
}

/** The proxy and target of a connection. */
interface Requested {
  readonly proxy: ForwardProxy
  /** Host and port. */
  readonly target: string
}

/** Describes the fault of a proxy that did not connect, with its name and the fix. */
function describeFault(error: Error, { proxy: { name }, target, protocol }: Requested & { readonly protocol: string }): ProxyFault {
  const [code, status] = ['code' in error ? error.code : undefined, 'statusCode' in error ? error.statusCode : undefined]
  if (status === 407) return wantsLogin(name, protocol)
  if (status !== undefined) return new ProxyFault(`The proxy ${name} answered ${status} to a request for ${target}; check its log.`)
  if (code === 'ERR_PROXY_TUNNEL') return new ProxyFault(`The proxy ${name} closed the connection to ${target}; check its log.`)
  const why = code ?? error.message
  return new ProxyFault(`The proxy ${name} cannot be reached (${why}); check that it runs, or correct ${settingOf(protocol)}.`)
}

/** The fault of a connection that timed out, whether the proxy or the server is silent. */
function tookTooLong(connectMs: number, { proxy: { name }, target }: Requested): ProxyFault {
  return new ProxyFault(`The proxy ${name} did not connect to ${target} within ${connectMs / 1000} s; check its log.`)
}
