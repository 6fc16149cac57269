import { Socket } from 'node:net'
import { Client } from 'pg'
import { orAborted } from '../../core/waiting.ts'
import { connectionTo, sessionOptions } from './connecting/connection.ts'

/** The channel of all notifications between nodes. */
const channel = 'sepia_bell'
/** Minimum interval between messages: a message takes a lock for which all others wait. */
const pauseMs = 20
/** Ids per message, which PostgreSQL limits to 8000 bytes. */
const maxIds = 200
const retryMs = 500
/** Time for the server to close the connection. */
const closeTimeoutMs = 1000

interface Message {
  readonly from: string
  /** Work may have become claimable. */
  readonly work: boolean
  /** Inferences that ended. */
  readonly ended: readonly string[]
}

/**
 * Sends events to the other nodes and receives theirs, a few milliseconds later. Events are lost while the connection is down;
 * nodes find the same facts in the database.
 */
export class Notifier implements AsyncDisposable {
  readonly #readAddress: () => Promise<string>
  readonly #node: string
  readonly #onWork = new Set<() => void>()
  readonly #onEnded = new Set<(ids: readonly string[]) => void>()
  #client: Client | null = null
  /** Socket of the latest connection, open or opening. */
  #socket: Socket | null = null
  #timer: NodeJS.Timeout | null = null
  #sentAt = Number.NEGATIVE_INFINITY
  #closed = false
  #work = false
  #ended: string[] = []

  /**
   * @param readAddress Returns the current address of the database; never fails.
   * @param node This node, whose own messages it ignores.
   */
  constructor(readAddress: () => Promise<string>, node: string) {
    this.#readAddress = readAddress
    this.#node = node
  }

  /** Starts listening; resolves when it is connected, or when the first attempt has failed. Retries continue in the background. */
  async open(): Promise<void> {
    const url = await this.#readAddress()
    if (this.#closed) return
    const socket = new Socket()
    this.#socket = socket
    // Notifications need not survive a crash of the server, so commits need not wait for its disk.
    const client = new Client({
      ...connectionTo(url, `${sessionOptions} -c synchronous_commit=off`),
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
    client.on('notification', ({ payload }) => this.#receive(payload))
    try {
      await client.connect()
      await client.query(`listen ${channel}`)
      client.once('end', gone)
      this.#client = client
      // Notifications may have been lost before the connection was made.
      for (const notify of this.#onWork) notify()
    } catch {
      await client.end().catch(() => {})
      gone()
    }
  }

  onWork(notify: () => void): void {
    this.#onWork.add(notify)
  }

  /** Registers a callback for ids of inferences that ended on other nodes. */
  onEnded(notify: (ids: readonly string[]) => void): void {
    this.#onEnded.add(notify)
  }

  notifyWork(): void {
    this.#work = true
    this.#sendSoon()
  }

  notifyEnded(ids: readonly string[]): void {
    this.#ended.push(...ids)
    if (ids.length > 0) this.#sendSoon()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true
    if (this.#timer !== null) clearTimeout(this.#timer)
    const farewell = this.#client?.end() ?? Promise.resolve()
    await orAborted(farewell, AbortSignal.timeout(closeTimeoutMs)).catch(() => {})
    this.#socket?.destroy()
  }

  #sendSoon(): void {
    if (this.#timer !== null || this.#client === null) return
    // The first event after a pause is sent at once.
    this.#timer = setTimeout(() => void this.#send(), Math.max(0, this.#sentAt + pauseMs - performance.now()))
    this.#timer.unref()
  }

  async #send(): Promise<void> {
    const message: Message = { from: this.#node, work: this.#work, ended: this.#ended.splice(0, maxIds) }
    this.#work = false
    this.#sentAt = performance.now()
    try {
      await this.#client?.query('select pg_notify($1, $2)', [channel, JSON.stringify(message)])
    } catch {
      // The other nodes find the same facts in the database.
    }
    this.#timer = null
    if (this.#work || this.#ended.length > 0) this.#sendSoon()
  }

  #receive(payload: string | undefined): void {
    const message = readMessage(payload)
    if (message === null || message.from === this.#node) return
    if (message.work) for (const notify of this.#onWork) notify()
    if (message.ended.length > 0) for (const notify of this.#onEnded) notify(message.ended)
  }
}

/** null = not from a node: everyone with access to the database can write to the channel, and an error here would end the process. */
function readMessage(payload: string | undefined): Message | null {
  try {
    const { from, work, ended }: Partial<Message> = Object(JSON.parse(payload ?? ''))
    return typeof from === 'string' && Array.isArray(ended) ? { from, work: work === true, ended } : null
  } catch {
    return null
  }
}
