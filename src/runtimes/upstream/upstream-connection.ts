import { randomBytes } from 'node:crypto'
import { Agent as HttpAgent, type IncomingMessage, type RequestOptions, request as requestHttp } from 'node:http'
import { Agent as HttpsAgent, request as requestHttps } from 'node:https'
import type { Duplex } from 'node:stream'
import { urlToHttpOptions } from 'node:url'
import { ServiceError } from '../../core/error.ts'
import type { UpstreamTimeouts } from '../../core/model.ts'
import { outliveErrors } from '../../core/outgoing/client-requests.ts'
import { proxyAnswerIn, wantsLogin } from '../../core/outgoing/forward-proxies.ts'
import type { Abortable } from '../../core/waiting.ts'
import { limitTime } from './limit-time.ts'
import { readKey } from './read-key.ts'
import { contentOf, drain, type Received, readRefusal, textOf } from './received-answer.ts'
import { adviseOnRedirect, maxRedirects, mayFollow, redirectOf } from './redirects.ts'
import { makeBrokenError, makeOutOfReachError, nameProxy } from './upstream-error.ts'

/** Time in which a failure shows that the server had closed a kept-alive connection before the request arrived. A later failure may mean that it had begun the work. */
const longestClosedMs = 1000

type Headers = Readonly<Record<string, string>>

/** The body to post. */
export interface UpstreamBody {
  readonly type: string
  readonly bytes: string | Uint8Array
}

/** A route through a proxy, with the proxy's host and port. */
interface ProxyRoute {
  readonly proxy: string
  readonly openAgent: (options: { readonly keepAlive: boolean; readonly connectMs?: number | undefined }) => HttpAgent
}

/** One server and its connection settings. */
export interface UpstreamServer {
  readonly url: string
  /** `name:password`, for a server without a `keyFile`. */
  readonly login?: string | undefined
  readonly keyFile: string | null
  /** Absent = only the request's own limits. */
  readonly timeouts?: UpstreamTimeouts
  /** Headers of every request; absent = OpenAI's, with the key. */
  readonly headersFor?: (key: string | null) => Headers
  /** Returns the `traceparent` header of the current request; undefined = none. */
  readonly traceparent?: () => string | undefined
  /** The route through a proxy; absent or null = direct. */
  readonly findRoute?: (address: URL) => ProxyRoute | null
}

interface SendOptions {
  readonly signal: AbortSignal
  /** Whether the response needs no work, so that it must begin within the idle limit; absent = the time limit of work applies. */
  readonly isDueAtOnce?: boolean
  /** Whether the request is idempotent; absent = it is. */
  readonly isRepeatable?: boolean
  /** In addition to the headers of every request. */
  readonly headers?: Headers
}

/** One attempt of a request. */
interface AttemptOptions extends SendOptions {
  /** Monotonic time at which the time limit of the response began; redirects and repetitions do not restart it. */
  readonly startedAt: number
}

/** Kept-alive connections to one upstream. */
export class UpstreamConnection implements Disposable {
  readonly #server: UpstreamServer
  #key: string | null
  readonly #agent: HttpAgent
  /** For requests that must not use a kept-alive connection. */
  readonly #freshAgent: HttpAgent | false
  readonly #route: ProxyRoute | null
  /** Parsed once: parsing an address takes a third of the time of sending a request. */
  readonly #target: Pick<RequestOptions, 'protocol' | 'hostname' | 'port' | 'auth'>
  readonly #folder: string
  #bodiesTaken = 0

  private constructor(server: UpstreamServer, key: string | null) {
    this.#server = server
    this.#key = key
    const address = new URL(server.url)
    const { protocol, hostname, port, path } = urlToHttpOptions(address)
    this.#route = server.findRoute?.(address) ?? null
    const { connectMs } = server.timeouts ?? {}
    const open = (keepAlive: boolean) => this.#route?.openAgent({ keepAlive, connectMs })
    this.#agent = open(true) ?? (protocol === 'https:' ? new HttpsAgent({ keepAlive: true }) : new HttpAgent({ keepAlive: true }))
    this.#freshAgent = open(false) ?? false
    this.#target = { protocol, hostname, port, auth: server.login }
    this.#folder = path === '/' ? '' : (path ?? '')
  }

  static async open(server: UpstreamServer): Promise<UpstreamConnection> {
    return new UpstreamConnection(server, await readKey(server.keyFile))
  }

  /**
   * Sends a request below the upstream's base address and yields the response as text as it arrives.
   *
   * @param body Posted as JSON; null for a GET.
   * @param options.onOpen Called with a function that breaks off the response.
   * @throws {ServiceError} the error of the response's status, or `inference_failed` if there is none.
   */
  async send(
    path: string,
    body: unknown,
    { signal, onOpen }: Abortable & { readonly onOpen?: (close: () => void) => void },
  ): Promise<AsyncIterable<string>> {
    const sent = body === null ? null : { type: 'application/json', bytes: JSON.stringify(body) }
    const received = await this.#request(path, sent, { signal })
    onOpen?.(() => received.response.destroy())
    return this.#explainBreaks(received, signal)
  }

  /**
   * Sends a request below the upstream's base address and returns the whole body.
   *
   * @param sent null for a GET.
   * @throws {ServiceError} the error of the response's status, or `inference_failed` if there is none or it exceeds `mostBytes`.
   */
  async exchange(
    path: string,
    sent: UpstreamBody | null,
    { mostBytes, ...options }: SendOptions & { readonly mostBytes: number },
  ): Promise<Buffer> {
    const { signal } = options
    const received = await this.#request(path, sent, options)
    const pieces: Buffer[] = []
    let length = 0
    try {
      for await (const piece of contentOf(received)) {
        pieces.push(piece)
        length += piece.length
        if (length > mostBytes) throw makeBrokenError(`sent more than ${mostBytes} bytes`)
      }
    } catch (cause) {
      signal.throwIfAborted()
      throw nameProxy(explainBreak(cause), this.#route)
    }
    signal.throwIfAborted()
    return Buffer.concat(pieces)
  }

  /**
   * Opens a websocket below the upstream's base address, with the key; returns the raw connection.
   *
   * @param signal Applies until the websocket is open; after that the caller owns the connection.
   * @throws {ServiceError} the error of the response's status, or `inference_failed` if there is none.
   */
  async openSocket(path: string, { signal }: Abortable): Promise<Duplex> {
    const headers = {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': randomBytes(16).toString('base64'),
    }
    const { response } = await this.#request(path, null, { signal, isDueAtOnce: true, headers })
    if (response.statusCode === 101) return response.socket
    drain(response)
    throw makeBrokenError('did not open a WebSocket')
  }

  /** Bytes received over the open connections; a change indicates activity. */
  get bytesRead(): number {
    const open = [this.#agent.sockets, this.#agent.freeSockets].flatMap((sockets) => Object.values(sockets).flatMap((some) => some ?? []))
    return open.reduce((sum, { bytesRead }) => sum + bytesRead, 0)
  }

  /** Requests with a body that reached the server, whatever their outcome; a change indicates that one was sent. */
  get bodiesTaken(): number {
    return this.#bodiesTaken
  }

  [Symbol.dispose](): void {
    this.#agent.destroy()
  }

  /** The response of a server that accepts the request, perhaps at another path. */
  async #request(path: string, body: UpstreamBody | null, options: SendOptions): Promise<Received> {
    const startedAt = performance.now()
    let at = this.#folder + path
    for (let redirects = 0; ; redirects++) {
      const received = await this.#requestOnce(at, body, { ...options, startedAt })
      const { response } = received
      const { statusCode: status = 0 } = response
      if (status === 101 || (status >= 200 && status < 300)) return received
      // Two slashes at the beginning of a path would be read as a host.
      const requested = new URL(new URL(this.#server.url).origin + at)
      const target = redirectOf(response, requested)
      if (target === null || redirects === maxRedirects || !mayFollow(status, target, { requested, path })) {
        const address = this.#server.url + path.replace(/\?.*/, '')
        const advice = status >= 300 && status < 400 ? adviseOnRedirect(target, path) : undefined
        throw nameProxy(await readRefusal(received, { ...options, address, advice }), this.#route)
      }
      drain(response)
      at = target.pathname + target.search
    }
  }

  /** The response of a server to one request. */
  async #requestOnce(path: string, body: UpstreamBody | null, options: AttemptOptions): Promise<Received> {
    try {
      const received = await this.#ask(() => this.#send(path, body, options))
      const { response } = received
      const { statusCode: status = 0 } = response
      // In a tunnel, the header would go to the server.
      if (this.#route !== null && this.#target.protocol === 'http:') {
        const { proxy } = this.#route
        const own =
          status === 407 ? { fault: wantsLogin(proxy, 'http:'), isNotStarted: true } : proxyAnswerIn(proxy, status, response.headers)
        if (own !== null) {
          drain(response)
          throw own.isNotStarted ? makeOutOfReachError(own.fault) : makeBrokenError('sent no answer', own.fault)
        }
      }
      return received
    } catch (error) {
      throw nameProxy(error, this.#route)
    }
  }

  /** The response of a server. If it rejects a cached key and the file has a new one, the request is repeated with that. */
  async #ask(send: () => Promise<Received | 'closed before'>): Promise<Received> {
    const before = this.#key
    const first = await this.#reach(send)
    if (!this.#isKeyOutdated(first.response)) return first
    try {
      this.#key = await readKey(this.#server.keyFile)
    } catch (error) {
      drain(first.response)
      throw error
    }
    if (this.#key === before) return first
    drain(first.response)
    return await this.#reach(send)
  }

  /** If the server has just closed a kept-alive connection, the request is repeated once on a new one. */
  async #reach(send: () => Promise<Received | 'closed before'>): Promise<Received> {
    const first = await send()
    if (first !== 'closed before') return first
    // The other kept-alive connections are probably closed too.
    for (const sockets of Object.values(this.#agent.freeSockets)) for (const socket of sockets ?? []) socket.destroy()
    const second = await send()
    if (second === 'closed before') throw makeBrokenError('closes every connection')
    return second
  }

  #isKeyOutdated({ statusCode }: IncomingMessage): boolean {
    return this.#server.keyFile !== null && (statusCode === 401 || statusCode === 403)
  }

  #send(
    path: string,
    body: UpstreamBody | null,
    { signal, isDueAtOnce = false, isRepeatable = true, headers: more, startedAt }: AttemptOptions,
  ): Promise<Received | 'closed before'> {
    const traceparent = this.#server.traceparent?.()
    const headers = {
      accept: '*/*',
      'accept-encoding': 'identity',
      ...(traceparent !== undefined && { traceparent }),
      ...(body !== null && { 'content-type': body.type, 'content-length': Buffer.byteLength(body.bytes) }),
      ...(this.#server.headersFor ?? authorize)(this.#key),
      ...more,
    }
    return new Promise((resolve, reject) => {
      // A kept-alive connection may be closed by now, and it would be unknown whether the request arrived.
      const agent = isRepeatable ? this.#agent : this.#freshAgent
      const method = body === null ? 'GET' : 'POST'
      const connectSignal = this.#route === null ? undefined : signal
      const options = { ...this.#target, path, agent, method, headers, signal, connectSignal }
      const sent = this.#target.protocol === 'https:' ? requestHttps(options) : requestHttp(options)
      outliveErrors(sent)
      const sentAt = performance.now()
      let isAtWork = false
      sent.once('information', () => {
        isAtWork = true
      })
      const mayHaveBeenClosed = () => sent.reusedSocket && !isAtWork && performance.now() - sentAt < longestClosedMs
      const limits = limitTime(sent, this.#server.timeouts, { isDueAtOnce, startedAt })
      const noteTaken = () => {
        if (body !== null) this.#bodiesTaken++
      }
      sent.once('response', noteTaken).once('response', (response) => resolve({ response, limits }))
      sent.once('upgrade', (response: IncomingMessage, socket: Duplex, head: Buffer) => {
        socket.unshift(head)
        if (more?.upgrade !== undefined) return resolve({ response, limits })
        socket.destroy()
        reject(makeBrokenError('switched to another protocol (101)'))
      })
      sent.once('error', (cause: NodeJS.ErrnoException) => {
        if (limits.isConnected()) noteTaken()
        if (signal.aborted) reject(signal.reason)
        else if (cause instanceof ServiceError) reject(cause)
        else if (mayHaveBeenClosed() && (cause.code === 'ECONNRESET' || cause.code === 'EPIPE')) resolve('closed before')
        else reject(limits.isConnected() ? makeBrokenError('gave no answer', cause) : makeOutOfReachError(cause))
      })
      sent.end(body?.bytes)
    })
  }

  async *#explainBreaks(received: Received, signal: AbortSignal): AsyncGenerator<string, void, undefined> {
    const { response } = received
    try {
      yield* textOf(received)
    } catch (cause) {
      signal.throwIfAborted()
      throw nameProxy(explainBreak(cause), this.#route)
    } finally {
      drain(response)
    }
    signal.throwIfAborted()
  }
}

function explainBreak(cause: unknown): ServiceError {
  return cause instanceof ServiceError ? cause : makeBrokenError('broke off its answer', cause)
}

/** Basic authentication for a key of the form `name:password`, else a bearer token. */
function authorize(key: string | null): Headers {
  if (key === null) return {}
  return { authorization: key.includes(':') ? `Basic ${Buffer.from(key).toString('base64')}` : `Bearer ${key}` }
}
