import { randomBytes } from 'node:crypto'
import { Agent as HttpAgent, type IncomingMessage, type RequestOptions, request as requestHttp } from 'node:http'
import { Agent as HttpsAgent, request as requestHttps } from 'node:https'
import type { Duplex } from 'node:stream'
import { urlToHttpOptions } from 'node:url'
import { ServiceError } from '../../core/error.ts'
import type { UpstreamTimeouts } from '../../core/model.ts'
import { proxyAnswerIn, wantsLogin } from '../../core/outgoing/forward-proxies.ts'
import { limitTime } from './limit-time.ts'
import { readKey } from './read-key.ts'
import { makeAnswerError, makeBrokenError, makeOutOfReachError, nameProxy } from './upstream-error.ts'

/** The longest body of an error that is read. */
const longestError = 64 * 1024
/** How soon it shows that the server had closed a kept connection before it got the request; later it may have worked on it. */
const longestClosedMs = 1000
/** What a body may be packed by; servers also write `none`, or the name of a character set. */
const compressions = /\b(?:gzip|deflate|br|zstd|compress)\b/i
/** How long the end of an answer that we need no more of may take. */
const longestDrainMs = 1000

type Headers = Readonly<Record<string, string>>

/** What is posted. */
export interface UpstreamBody {
  readonly type: string
  readonly bytes: string | Uint8Array
}

/** A way through a proxy, which it names by host and port. */
interface ProxyRoute {
  readonly proxy: string
  readonly openAgent: (options: { readonly keepAlive: boolean; readonly connectMs?: number }) => HttpAgent
}

/** One server, and how it is spoken to. */
export interface UpstreamServer {
  readonly url: string
  /** `name:password`, for a server whose `keyFile` says nothing else. */
  readonly login?: string
  readonly keyFile: string | null
  /** Absent = no limits but the request's own. */
  readonly timeouts?: UpstreamTimeouts
  /** The headers that every request carries; absent = OpenAI's, with the key. */
  readonly headersFor?: (key: string | null) => Headers
  /** The `traceparent` that a request carries which is sent now; undefined = none. */
  readonly traceparent?: () => string | undefined
  /** The way to it through a proxy; absent, or null = directly. */
  readonly findRoute?: (address: URL) => ProxyRoute | null
}

interface SendOptions {
  readonly signal: AbortSignal
  /** Absent = it may take as long as work does. */
  readonly isDueAtOnce?: boolean
  /** Absent = it is. */
  readonly isRepeatable?: boolean
  /** Beside those that every request carries. */
  readonly headers?: Headers
}

interface ExchangeOptions {
  readonly signal: AbortSignal
  readonly mostBytes: number
  readonly isDueAtOnce: boolean
  readonly isRepeatable: boolean
}

/** Kept-alive connections to one upstream. */
export class UpstreamConnection implements Disposable {
  readonly #server: UpstreamServer
  #key: string | null
  readonly #agent: HttpAgent
  /** For what must not go out over a kept connection. */
  readonly #freshAgent: HttpAgent | false
  readonly #route: ProxyRoute | null
  /** Made once: to take an address apart takes a third of the time of sending a request. */
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
    const open = (keepAlive: boolean) => this.#route?.openAgent({ keepAlive, ...(connectMs !== undefined && { connectMs }) })
    this.#agent = open(true) ?? (protocol === 'https:' ? new HttpsAgent({ keepAlive: true }) : new HttpAgent({ keepAlive: true }))
    this.#freshAgent = open(false) ?? false
    this.#target = { protocol, hostname, port, auth: server.login }
    this.#folder = path === '/' ? '' : (path ?? '')
  }

  static async open(server: UpstreamServer): Promise<UpstreamConnection> {
    return new UpstreamConnection(server, await readKey(server.keyFile))
  }

  /**
   * Sends a request below the upstream's base address and answers its text as it arrives.
   *
   * @param body Posted as JSON; null for a GET.
   * @throws {ServiceError} what the answer's status means, or `inference_failed` when none comes.
   */
  async send(path: string, body: unknown, { signal }: { readonly signal: AbortSignal }): Promise<AsyncIterable<string>> {
    const sent = body === null ? null : { type: 'application/json', bytes: JSON.stringify(body) }
    const response = await this.#request(path, sent, { signal })
    response.setEncoding('utf8')
    return this.#explainBreaks(response, signal)
  }

  /**
   * Sends a request below the upstream's base address and answers its whole body.
   *
   * @param sent null for a GET.
   * @param options.isDueAtOnce Whether the answer takes no work, so that it must begin within the time of a pause.
   * @param options.isRepeatable Whether asking twice does no more than asking once.
   * @throws {ServiceError} what the answer's status means, or `inference_failed` when none comes or it is over `mostBytes`.
   */
  async exchange(path: string, sent: UpstreamBody | null, { mostBytes, ...options }: ExchangeOptions): Promise<Buffer> {
    const { signal } = options
    const response = await this.#request(path, sent, options)
    const pieces: Buffer[] = []
    let length = 0
    try {
      for await (const piece of response) {
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
   * Asks for a websocket below the upstream's base address, with the key that every request carries; answers the bare connection.
   *
   * @param signal Until it is open; what comes after belongs to the caller.
   * @throws {ServiceError} what the answer's status means, or `inference_failed` when none comes.
   */
  async openSocket(path: string, { signal }: { readonly signal: AbortSignal }): Promise<Duplex> {
    const headers = {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': randomBytes(16).toString('base64'),
    }
    const response = await this.#request(path, null, { signal, isDueAtOnce: true, headers })
    if (response.statusCode === 101) return response.socket
    drain(response)
    throw makeBrokenError('opened no socket')
  }

  /** Bytes that came over the connections that are open now: another number later says that something happened. */
  get bytesRead(): number {
    const open = [this.#agent.sockets, this.#agent.freeSockets].flatMap((sockets) => Object.values(sockets).flatMap((some) => some ?? []))
    return open.reduce((sum, { bytesRead }) => sum + bytesRead, 0)
  }

  /** Requests with a body that the server was there for, whatever became of them: another number later says that one went out. */
  get bodiesTaken(): number {
    return this.#bodiesTaken
  }

  [Symbol.dispose](): void {
    this.#agent.destroy()
  }

  /** What a server answers that takes the request. */
  async #request(path: string, body: UpstreamBody | null, options: SendOptions): Promise<IncomingMessage> {
    try {
      const response = await this.#ask(() => this.#send(path, body, options))
      const { statusCode: status = 0 } = response
      // Within a tunnel it would be the server's.
      if (this.#route !== null && this.#target.protocol === 'http:') {
        const { proxy } = this.#route
        const own = status === 407 ? { fault: wantsLogin(proxy, 'http:'), isUnbegun: true } : proxyAnswerIn(proxy, status, response.headers)
        if (own !== null) {
          drain(response)
          throw own.isUnbegun ? makeOutOfReachError(own.fault) : makeBrokenError('sent no answer', own.fault)
        }
      }
      const isAccepted = status === 101 || (status >= 200 && status < 300)
      if (!isAccepted) throw await readRefusal(response, { ...options, address: this.#server.url + path.replace(/\?.*/, '') })
      const { 'content-encoding': coding = '' } = response.headers
      if (compressions.test(coding)) {
        drain(response)
        throw makeBrokenError(
          `compressed its answer (${coding.slice(0, 40)}), which was not requested; turn that off there, or in the proxy in front of it`,
        )
      }
      return response
    } catch (error) {
      throw nameProxy(error, this.#route)
    }
  }

  /** What a server answers, to another key where it refuses the one that was read before and the file holds another by now. */
  async #ask(send: () => Promise<IncomingMessage | 'closed before'>): Promise<IncomingMessage> {
    const before = this.#key
    const first = await this.#reach(send)
    if (!this.#isKeyOutdated(first)) return first
    try {
      this.#key = await readKey(this.#server.keyFile)
    } catch (error) {
      drain(first)
      throw error
    }
    if (this.#key === before) return first
    drain(first)
    return await this.#reach(send)
  }

  /** A kept-alive connection that the server closed just then is no failure: the request goes out once more on a new one. */
  async #reach(send: () => Promise<IncomingMessage | 'closed before'>): Promise<IncomingMessage> {
    const first = await send()
    if (first !== 'closed before') return first
    // What closed one has mostly closed them all.
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
    { signal, isDueAtOnce = false, isRepeatable = true, headers: more }: SendOptions,
  ): Promise<IncomingMessage | 'closed before'> {
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
      // A connection that was kept may be closed by now, and nobody could tell whether the request has come.
      const agent = isRepeatable ? this.#agent : this.#freshAgent
      const method = body === null ? 'GET' : 'POST'
      const connectSignal = this.#route === null ? undefined : signal
      const options = { ...this.#target, path: this.#folder + path, agent, method, headers, signal, connectSignal }
      const sent = this.#target.protocol === 'https:' ? requestHttps(options) : requestHttp(options)
      const sentAt = performance.now()
      let isAtWork = false
      sent.once('information', () => {
        isAtWork = true
      })
      const mayHaveBeenClosed = () => sent.reusedSocket && !isAtWork && performance.now() - sentAt < longestClosedMs
      const isConnected = limitTime(sent, this.#server.timeouts, { isDueAtOnce })
      const noteTaken = () => {
        if (body !== null) this.#bodiesTaken++
      }
      sent.once('response', noteTaken).once('response', resolve)
      sent.once('upgrade', (response: IncomingMessage, socket: Duplex, head: Buffer) => {
        socket.unshift(head)
        if (more?.upgrade !== undefined) return resolve(response)
        socket.destroy()
        reject(makeBrokenError('asked for another protocol'))
      })
      sent.once('error', (cause: NodeJS.ErrnoException) => {
        if (isConnected()) noteTaken()
        if (signal.aborted) reject(signal.reason)
        else if (cause instanceof ServiceError) reject(cause)
        else if (mayHaveBeenClosed() && (cause.code === 'ECONNRESET' || cause.code === 'EPIPE')) resolve('closed before')
        else reject(isConnected() ? makeBrokenError('gave no answer', cause) : makeOutOfReachError(cause))
      })
      sent.end(body?.bytes)
    })
  }

  async *#explainBreaks(response: IncomingMessage, signal: AbortSignal): AsyncGenerator<string, void, undefined> {
    try {
      yield* response.iterator({ destroyOnReturn: false })
    } catch (cause) {
      signal.throwIfAborted()
      throw nameProxy(explainBreak(cause), this.#route)
    } finally {
      drain(response)
    }
    signal.throwIfAborted()
  }
}

/**
 * What an answer means that takes no request. Its status says enough, however what says why ends: of that, what comes within a second and 64 KB is read.
 */
async function readRefusal(
  response: IncomingMessage,
  { signal, address }: { readonly signal: AbortSignal; readonly address: string },
): Promise<ServiceError> {
  let text = ''
  const late = setTimeout(() => response.destroy(), longestDrainMs)
  try {
    for await (const piece of response.setEncoding('utf8')) {
      text = (text + piece).slice(0, longestError)
      if (text.length === longestError) break
    }
  } catch {
    signal.throwIfAborted()
  } finally {
    clearTimeout(late)
  }
  return makeAnswerError(response.statusCode ?? 0, text, response.headers['retry-after'], address)
}

function explainBreak(cause: unknown): ServiceError {
  return cause instanceof ServiceError ? cause : makeBrokenError('broke off its answer', cause)
}

/** A key of the form `name:password` is a person's, any other a bearer token. */
function authorize(key: string | null): Headers {
  if (key === null) return {}
  return { authorization: key.includes(':') ? `Basic ${Buffer.from(key).toString('base64')}` : `Bearer ${key}` }
}

/** Reads what is left of an answer, mostly its end, so that its connection can serve the next request; but not for ever. */
function drain(response: IncomingMessage): void {
  if (response.destroyed || response.readableEnded) return
  const deadline = setTimeout(() => response.destroy(), longestDrainMs)
  response.once('close', () => clearTimeout(deadline))
  response.resume()
}
