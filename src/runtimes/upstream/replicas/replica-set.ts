import { isUnbegun, ServiceError } from '../../../core/error.ts'
import { serversOf, type UpstreamAddress } from '../../../core/model.ts'
import { type ServerWatch, WatchedServer } from '../server-watch.ts'
import { UpstreamConnection, type UpstreamServer } from '../upstream-connection.ts'
import { isOutOfReach, makeUnbegunError, saysAway } from '../upstream-error.ts'
import { orderReplicas } from './order-replicas.ts'

/** Servers that one request is sent to at most. */
const mostTries = 3
/** How long others go first after a request failed on a server, or it was busy; twice as long after every further failure in a row. */
const [avoidedMs, longestAvoidedMs] = [5000, 60_000]
const [shortestDownMs, longestDownMs] = [1000, 30_000]
const longestProbeMs = 5000
/** Characters of a list of models that are read; what is beyond makes it unreadable, which is no fault. */
const longestList = 4 << 20

export interface ReplicaSettings extends ServerWatch {
  /** Milliseconds between two looks at servers that had nothing to do, or do not answer. */
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
  /** Looks and requests in a row that did not reach it. */
  misses: number
  avoidedUntil: number
  /** Times in a row that requests failed there, whether or not it is there. */
  failures: number
  lastAnswer: number
}

/** The servers behind one model: the choice of a server per request, their health, and later probes. */
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

  /** Opens a connection to every server; none is asked anything yet. */
  static async open(
    upstream: UpstreamAddress & Pick<UpstreamServer, 'headersFor' | 'traceparent' | 'findRoute'>,
    settings: ReplicaSettings = {},
  ): Promise<ReplicaSet> {
    const { login: _login, weight: _weight, replicas: _replicas, slots, ...shared } = upstream
    const opened = await Promise.all(
      serversOf(upstream).map(async ({ url, login, weight }) => ({
        ...{
          url,
          watched: new WatchedServer(url, settings),
          weight,
          slots,
          inFlight: 0,
          downUntil: null,
          misses: 0,
          avoidedUntil: 0,
          failures: 0,
          lastAnswer: 0,
        },
        connection: await UpstreamConnection.open({ ...shared, url, ...(login && { login }) }),
      })),
    )
    return new ReplicaSet(opened, settings)
  }

  /** Requests that all servers together work on at once. */
  get slots(): number {
    return this.#replicas.reduce((sum, { slots }) => sum + slots, 0)
  }

  /**
   * What the first server that begins to answer yields; another is tried only until the first part is there.
   *
   * @param key What should go to the same server again, such as a conversation's.
   * @throws {ServiceError} the error of the last server that was there, else the last one's; `server_is_overloaded` when none answers at all.
   */
  async *stream<Part>(
    key: string,
    start: (connection: UpstreamConnection) => AsyncIterable<Part>,
    { signal }: { readonly signal: AbortSignal },
  ): AsyncGenerator<Part, void, undefined> {
    const order = orderReplicas(this.#replicas, { key, now: performance.now() }).slice(0, mostTries)
    let failure: unknown = null
    for (const replica of order.flatMap((index) => this.#replicas[index] ?? [])) {
      let begun = false
      const isTry = replica.downUntil !== null
      // A try may take long, and nobody else is sent there meanwhile.
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
        // What a proxy says of a server that was away before, and is still, is nothing that this request did.
        const error = isTry && replica.downUntil !== null && saysAway(thrown) ? makeUnbegunError(thrown) : thrown
        if (failure === null || !isUnbegun(error)) failure = error
        this.#failed(replica, error)
        if (begun || !mayRunElsewhere(error)) throw error
      } finally {
        replica.inFlight--
      }
    }
    // Made only now: an error notes where it comes from, which takes longer than the choice of a server.
    throw failure ?? this.#makeUnreachableError()
  }

  /** As {@link stream}, for what answers once. */
  async ask<Answer>(
    key: string,
    ask: (connection: UpstreamConnection) => Promise<Answer>,
    options: { readonly signal: AbortSignal },
  ): Promise<Answer> {
    const once = async function* (connection: UpstreamConnection) {
      yield await ask(connection)
    }
    // To the end, which tells that the server has not failed.
    const [answer] = await Array.fromAsync(this.stream(key, once, options))
    if (answer === undefined) throw this.#makeUnreachableError()
    return answer
  }

  /**
   * What the first server that is there says of its models, if anything.
   *
   * @throws {ServiceError} `inference_failed` when none of them is there.
   */
  async findModels({ signal }: { readonly signal: AbortSignal }): Promise<string> {
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

  /** Asks every server that has not answered for so long, and is not known to be away for longer, whether it is there. */
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

  /** @param isDoubted Whether something failed there, so that a proxy is believed which says that the server behind it is away. */
  async #probe(replica: Replica, { isDoubted }: { readonly isDoubted: boolean }): Promise<void> {
    const { connection } = replica
    const before = connection.bytesRead
    const { probeMs = longestProbeMs } = this.#settings
    try {
      await this.#look(replica, AbortSignal.any([this.#stop.signal, AbortSignal.timeout(Math.min(longestProbeMs, probeMs))]), { isDoubted })
    } catch (error) {
      if (this.#stop.signal.aborted) return
      // A server that does one thing after the other answers no look while it writes.
      if (isOutOfReach(error) || saysAway(error) || connection.bytesRead === before) this.#missed(replica, error)
    }
  }

  /** What a server says of its models: nothing where it is busy or knows no such address, as it is there all the same. */
  async #look(replica: Replica, signal: AbortSignal, { isDoubted = false }: { readonly isDoubted?: boolean } = {}): Promise<string> {
    let text = ''
    try {
      for await (const piece of await replica.connection.send('/models', null, { signal })) {
        text += piece
        if (text.length > longestList) break
      }
    } catch (error) {
      if (!(error instanceof ServiceError) || isOutOfReach(error) || (isDoubted && saysAway(error))) throw error
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
    // Those that do not reach it together are one miss.
    if (replica.downUntil !== null && replica.downUntil > now) return
    replica.downUntil = now + Math.min(longestDownMs, shortestDownMs * 2 ** replica.misses)
    replica.misses++
    replica.watched.missed(error)
  }

  /**
   * Only a server that cannot be reached is left alone; one that failed on a request is asked whether it is there, so that a request that makes every server
   * fail closes none of them to others.
   */
  #failed(replica: Replica, error: unknown): void {
    if (isUnbegun(error)) this.#missed(replica, error)
    if (isUnbegun(error) || !mayRunElsewhere(error)) return
    const now = performance.now()
    // Requests that fail together are one failure, and a server that has too much to do is no worse for it.
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

/** Whether another server may do what one did not: it failed or was busy, and the request is not to blame. */
function mayRunElsewhere(error: unknown): boolean {
  return error instanceof ServiceError && (error.code === 'inference_failed' || error.code === 'server_is_overloaded')
}
