import { isNotStarted, ServiceError } from '../../../core/error.ts'
import { serversOf, type UpstreamAddress } from '../../../core/model.ts'
import type { Abortable } from '../../../core/waiting.ts'
import { type ServerWatch, WatchedServer } from '../server-watch.ts'
import { UpstreamConnection, type UpstreamServer } from '../upstream-connection.ts'
import { isOutOfReach, isServerUnavailable, makeNotStartedError } from '../upstream-error.ts'
import { orderReplicas } from './order-replicas.ts'

/** Maximum servers that one request is sent to. */
const maxTries = 3
/** Time in which other servers are preferred after a failed or busy response, in milliseconds; doubled after each further consecutive failure. */
const [avoidedMs, longestAvoidedMs] = [5000, 60_000]
const [shortestDownMs, longestDownMs] = [1000, 30_000]
const longestProbeMs = 5000
/** Maximum characters of a list of models; a longer list is ignored. */
const longestList = 4 << 20

export interface ReplicaSettings extends ServerWatch {
  /** Milliseconds between two probes of servers that are idle or do not answer. */
  readonly probeMs?: number
}

interface Replica {
  readonly url: string
  readonly watched: WatchedServer
  readonly weight: number
  readonly slots: number
  readonly connection: UpstreamConnection
  inFlight: number
  downUntil: number | null
  /** Consecutive probes and requests that did not reach it. */
  misses: number
  avoidedUntil: number
  /** Consecutive failed requests, whether or not the server is reachable. */
  failures: number
  lastAnswer: number
}

/** The state of a server that no request was sent to. */
const unused = { inFlight: 0, downUntil: null, misses: 0, avoidedUntil: 0, failures: 0, lastAnswer: 0 }

/** The servers of one model: chooses a server for each request, tracks their health, and probes them. */
export class ReplicaSet implements Disposable {
  readonly #replicas: readonly Replica[]
  readonly #settings: ReplicaSettings
  readonly #stop = new AbortController()
  readonly #timer: NodeJS.Timeout

  private constructor(replicas: readonly Replica[], settings: ReplicaSettings) {
    this.#replicas = replicas
    this.#settings = settings
    const { probeMs = longestProbeMs } = settings
    this.#timer = setInterval(() => void this.probe({ idleMs: probeMs }), probeMs).unref()
  }

  /** Opens a connection to every server without sending anything. */
  static async open(
    upstream: UpstreamAddress & Pick<UpstreamServer, 'headersFor' | 'traceparent' | 'findRoute'>,
    settings: ReplicaSettings = {},
  ): Promise<ReplicaSet> {
    const { login: _login, weight: _weight, replicas: _replicas, slots, ...shared } = upstream
    const opened = await Promise.all(
      serversOf(upstream).map(async ({ url, login, weight }) => ({
        ...unused,
        url,
        weight,
        slots,
        watched: new WatchedServer(url, settings),
        connection: await UpstreamConnection.open({ ...shared, url, login }),
      })),
    )
    return new ReplicaSet(opened, settings)
  }

  /** Requests that all servers together can run at once. */
  get slots(): number {
    return this.#replicas.reduce((sum, { slots }) => sum + slots, 0)
  }

  /**
   * Yields the answer of the first server that begins one. Another server is tried only before the first part.
   *
   * @param key Requests with the same key prefer the same server, such as those of one conversation.
   * @throws {ServiceError} the error of the last reachable server, else of the last one; `server_is_overloaded` if none answers at all.
   */
  async *stream<Part>(
    key: string,
    start: (connection: UpstreamConnection) => AsyncIterable<Part>,
    { signal }: Abortable,
  ): AsyncGenerator<Part, void, undefined> {
    const order = orderReplicas(this.#replicas, { key, now: performance.now() }).slice(0, maxTries)
    let failure: unknown = null
    for (const replica of order.flatMap((index) => this.#replicas[index] ?? [])) {
      let begun = false
      const isTry = replica.downUntil !== null
      // An attempt may take long; no other request is sent to that server meanwhile.
      if (isTry) void this.#probe(replica, { isDoubted: true })
      replica.inFlight++
      try {
        for await (const part of start(replica.connection)) {
          if (!begun) this.#answered(replica)
          begun = true
          yield part
        }
        replica.failures = 0
        return
      } catch (thrown) {
        signal.throwIfAborted()
        // A proxy's report of a server that was down before this request does not count as a failure of the request.
        const error = isTry && replica.downUntil !== null && isServerUnavailable(thrown) ? makeNotStartedError(thrown) : thrown
        if (failure === null || !isNotStarted(error)) failure = error
        this.#failed(replica, error)
        if (begun || !mayRunElsewhere(error)) throw error
      } finally {
        replica.inFlight--
      }
    }
    // Created only here: capturing an error's stack takes longer than choosing a server.
    throw failure ?? this.#makeUnreachableError()
  }

  /** Like {@link stream}, for work with a single result. */
  async ask<Answer>(key: string, ask: (connection: UpstreamConnection) => Promise<Answer>, options: Abortable): Promise<Answer> {
    const once = async function* (connection: UpstreamConnection) {
      yield await ask(connection)
    }
    // Read to the end, so that the server counts as healthy.
    const [answer] = await Array.fromAsync(this.stream(key, once, options))
    if (answer === undefined) throw this.#makeUnreachableError()
    return answer
  }

  /** The list of models of the first reachable server, if it has one. @throws {ServiceError} `inference_failed` if none is reachable. */
  async findModels({ signal }: Abortable): Promise<string> {
    const found = new AbortController()
    const looking = AbortSignal.any([signal, found.signal])
    try {
      return await Promise.any(
        this.#replicas.map(async (replica) => {
          try {
            return await this.#look(replica, looking)
          } catch (error) {
            if (!looking.aborted) this.#missed(replica, error)
            throw error
          }
        }),
      )
    } catch (failures) {
      signal.throwIfAborted()
      throw failures instanceof AggregateError ? failures.errors[0] : failures
    } finally {
      found.abort()
    }
  }

  /** Probes every server that has been silent for the interval, unless it is known to be down for longer. */
  async probe({ idleMs }: { readonly idleMs: number }): Promise<void> {
    const now = performance.now()
    const due = this.#replicas.filter(({ downUntil, lastAnswer }) => (downUntil === null ? lastAnswer + idleMs <= now : downUntil <= now))
    await Promise.all(due.map((replica) => this.#probe(replica, { isDoubted: replica.downUntil !== null })))
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
    this.#stop.abort()
    for (const { connection } of this.#replicas) connection[Symbol.dispose]()
  }

  /** @param isDoubted Whether a request failed there; only then does a proxy's report that the server is down count. */
  async #probe(replica: Replica, { isDoubted }: { readonly isDoubted: boolean }): Promise<void> {
    const { connection } = replica
    const before = connection.bytesRead
    const { probeMs = longestProbeMs } = this.#settings
    try {
      await this.#look(replica, AbortSignal.any([this.#stop.signal, AbortSignal.timeout(Math.min(longestProbeMs, probeMs))]), { isDoubted })
    } catch (error) {
      if (this.#stop.signal.aborted) return
      // A server that handles one request at a time answers no probe while it generates.
      if (isOutOfReach(error) || isServerUnavailable(error) || connection.bytesRead === before) this.#missed(replica, error)
    }
  }

  /** A server's list of models; undefined if it is busy or has no such route, since it is reachable all the same. */
  async #look(replica: Replica, signal: AbortSignal, { isDoubted = false }: { readonly isDoubted?: boolean } = {}): Promise<string> {
    let text = ''
    try {
      for await (const piece of await replica.connection.send('/models', null, { signal })) {
        text += piece
        if (text.length > longestList) break
      }
    } catch (error) {
      if (!(error instanceof ServiceError) || isOutOfReach(error) || (isDoubted && isServerUnavailable(error))) throw error
      text = ''
    }
    this.#answered(replica)
    return text
  }

  #answered(replica: Replica): void {
    Object.assign(replica, { downUntil: null, misses: 0, lastAnswer: performance.now() })
    replica.watched.answered()
  }

  #missed(replica: Replica, error: unknown): void {
    const now = performance.now()
    // Concurrent attempts that fail count once.
    if (replica.downUntil !== null && replica.downUntil > now) return
    replica.downUntil = now + Math.min(longestDownMs, shortestDownMs * 2 ** replica.misses)
    replica.misses++
    replica.watched.missed(error)
  }

  /**
   * Only an unreachable server is avoided. One that failed on a request is probed, so that a request that makes every server
   * fail does not close any of them to other requests.
   */
  #failed(replica: Replica, error: unknown): void {
    if (isNotStarted(error)) this.#missed(replica, error)
    if (isNotStarted(error) || !mayRunElsewhere(error)) return
    const now = performance.now()
    // Concurrent failures count once, and a busy server is not a failed one.
    if (replica.avoidedUntil <= now && error instanceof ServiceError && error.code === 'inference_failed') replica.failures++
    replica.avoidedUntil = now + Math.min(longestAvoidedMs, avoidedMs * 2 ** Math.max(0, replica.failures - 1))
    void this.#probe(replica, { isDoubted: true })
  }

  #makeUnreachableError(): ServiceError {
    const soonest = Math.min(...this.#replicas.map(({ downUntil }) => downUntil ?? 0))
    const retryAfterSeconds = Math.max(1, Math.ceil((soonest - performance.now()) / 1000))
    return new ServiceError('server_is_overloaded', `No server of this model answers; try again in ${retryAfterSeconds} s.`, {
      retryAfterSeconds,
    })
  }
}

/** Whether another server may succeed: this one failed or was busy, and the request is not the cause. */
function mayRunElsewhere(error: unknown): boolean {
  return error instanceof ServiceError && (error.code === 'inference_failed' || error.code === 'server_is_overloaded')
}
