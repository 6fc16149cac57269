import { Socket } from 'node:net'
import { Client } from 'pg'
import { orAborted } from '../../core/waiting.ts'
import { connectionTo } from './connecting/connection.ts'

/** One channel for all that nodes tell each other through the database. */
const channel = 'sepia_bell'
/** At most one message per so long, whatever there is to tell: a message takes a lock that every other one waits for. */
const pauseMs = 20
/** Ids in one message, whose text may be 8000 bytes. */
const mostIds = 200
const retryMs = 500
/** How long a server has to take leave. */
const farewellMs = 1000

interface Message {
  readonly from: string
  /** Something may have become claimable. */
  readonly work: boolean
  /** Inferences that ended. */
  readonly ended: readonly string[]
}

/**
 * Tells other nodes what happened here, and hears what happened there, a few milliseconds later. It may miss things, for instance
 * while its connection is away: everything it tells can be found by asking, too.
 */
export class Bell implements AsyncDisposable {
  readonly #readAddress: () => Promise<string>
  readonly #node: string
  readonly #onWork = new Set<() => void>()
  readonly #onEnded = new Set<(ids: readonly string[]) => void>()
  #client: Client | null = null
  /** Of the latest connection, be it made or being made. */
  #socket: Socket | null = null
  #timer: NodeJS.Timeout | null = null
  #toldAt = Number.NEGATIVE_INFINITY
  #closed = false
  #work = false
  #ended: string[] = []

  /**
   * @param readAddress Tells where the database is by now; never fails.
   * @param node Tells its own messages from those of others.
   */
  constructor(readAddress: () => Promise<string>, node: string) {
    this.#readAddress = readAddress
    this.#node = node
  }

  /** Begins to listen; resolves when it hears, or when the first try has failed and goes on by itself. */
  async open(): Promise<void> {
    const url = await this.#readAddress()
    if (this.#closed) return
    const socket = new Socket()
    this.#socket = socket
    // What is told need not survive a crash of the server, so nobody waits for a disk.
    const client = new Client({
      ...connectionTo(url, '-c synchronous_commit=off -c idle_session_timeout=0'),
      stream: () => socket,
      connectionTimeoutMillis: 3000,
      keepAlive: true,
    })
    const gone = () => {
      if (this.#client === client) this.#client = null
      client.removeAllListeners('notification')
      if (!this.#closed) setTimeout(() => void this.open(), retryMs).unref()
    }
    client.on('error', () => {})
    client.on('notification', ({ payload }) => this.#hear(payload))
    try {
      await client.connect()
      await client.query(`listen ${channel}`)
      client.once('end', gone)
      this.#client = client
      // Whatever was told while nobody listened.
      for (const ring of this.#onWork) ring()
    } catch {
      await client.end().catch(() => {})
      gone()
    }
  }

  onWork(ring: () => void): void {
    this.#onWork.add(ring)
  }

  /** Calls back with the ids of inferences that ended on other nodes. */
  onEnded(tell: (ids: readonly string[]) => void): void {
    this.#onEnded.add(tell)
  }

  tellWork(): void {
    this.#work = true
    this.#tellSoon()
  }

  tellEnded(ids: readonly string[]): void {
    this.#ended.push(...ids)
    if (ids.length > 0) this.#tellSoon()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true
    if (this.#timer !== null) clearTimeout(this.#timer)
    const farewell = this.#client?.end() ?? Promise.resolve()
    await orAborted(farewell, AbortSignal.timeout(farewellMs)).catch(() => {})
    this.#socket?.destroy()
  }

  #tellSoon(): void {
    if (this.#timer !== null || this.#client === null) return
    // What comes after a silence is told at once.
    this.#timer = setTimeout(() => void this.#tell(), Math.max(0, this.#toldAt + pauseMs - performance.now()))
    this.#timer.unref()
  }

  async #tell(): Promise<void> {
    const message: Message = { from: this.#node, work: this.#work, ended: this.#ended.splice(0, mostIds) }
    this.#work = false
    this.#toldAt = performance.now()
    try {
      await this.#client?.query('select pg_notify($1, $2)', [channel, JSON.stringify(message)])
    } catch {
      // The others find out by asking.
    }
    this.#timer = null
    if (this.#work || this.#ended.length > 0) this.#tellSoon()
  }

  #hear(payload: string | undefined): void {
    const { from, work, ended } = JSON.parse(payload ?? '{}') as Message
    if (from === this.#node) return
    if (work) for (const ring of this.#onWork) ring()
    if (ended.length > 0) for (const tell of this.#onEnded) tell(ended)
  }
}
