import { type ClientRequestArgs, Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { ForwardProxy } from '../core/outgoing/forward-proxies.ts'
import { describeFault, tookTooLong } from './describe-fault.ts'

/** How long a proxy may take to let somebody through, where nobody says. */
const usualConnectMs = 10_000
/** Silence after which the system asks the proxy whether it is still there. */
const aliveMs = 1000

/** How connections through a proxy are kept and limited. */
export interface ProxyAgentOptions {
  readonly keepAlive: boolean
  /** How long it may take until the server is there; absent = ten seconds. */
  readonly connectMs?: number
  /** How long a connection is kept that nobody uses; absent = until somebody closes it. */
  readonly idleMs?: number
}

/** What a request may say beside what Node knows: its signal, without which it would wait for a proxy that says nothing. */
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
    // Node would count the time that connections are kept from here on.
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

/** Answers what tells how an attempt ended, once; one that takes too long, or that nobody waits for, is ended here. */
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
  // What goes wrong within the tunnel is the server's.
  return (error, stream) => settle(error !== null && stream === socket ? describeFault(error, { proxy, target, protocol }) : error, stream)
}

function settingsOf({ keepAlive, idleMs }: ProxyAgentOptions): { readonly keepAlive: boolean; readonly timeout?: number } {
  return { keepAlive, ...(idleMs !== undefined && { timeout: idleMs }) }
}
