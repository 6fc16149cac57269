import type { KeyObject } from 'node:crypto'
import { Agent, type ClientRequest, type IncomingMessage, request as openRequest } from 'node:http'
import { request as openSecureRequest } from 'node:https'
import type { Duplex } from 'node:stream'
import { writePortable } from '../core/portable-value.ts'
import type { Clock } from '../core/ports/clock.ts'
import type { TextModel } from '../core/ports/text-model.ts'
import { orAborted } from '../core/waiting.ts'
import {
  type AskerLine,
  firstSignMs,
  type LeaseAnswer,
  type LeaseQuestion,
  type LenderLine,
  leasePath,
  longestLoadMs,
  mostAheadBytes,
  NodeLost,
  pingMs,
  silenceMs,
  unbegunSilenceMs,
  uncarryError,
} from './lease-wire.ts'
import type { NodeTls } from './node-tls.ts'
import { aheadKey, isEqual, leaseKey, maxLineBytes, SealedLines, seal, sealQuestion, signSeal, splitLines } from './sealed-lines.ts'
import { repeat, watchSilence } from './watch-silence.ts'

export interface LeasingNode {
  readonly nodeId: string
  readonly secret: KeyObject
  readonly clock: Clock
  /** Absent = nodes know each other by their secret alone. */
  readonly tls?: NodeTls | undefined
  /** How long a request waits for a slot of a model at most. */
  readonly waitLimitMs: number
}

/** A slot on another node. Disposing it frees the slot there. */
export interface LeasedSlot extends AsyncDisposable {
  readonly facts: Pick<TextModel, 'contextLength' | 'device'>
  /** What the model can besides what every model can. */
  readonly abilities: readonly string[]
  /**
   * The parts of one call and, as its return value, its result.
   *
   * @throws {NodeLost} when the node goes away; what the model throws.
   */
  call(
    method: string,
    request: unknown,
    options: { readonly signal: AbortSignal; readonly account: string },
  ): AsyncGenerator<unknown, unknown>
}

/** The node that is asked for a slot. */
export interface LenderAddress {
  readonly id: string
  readonly url: string
  /** The latest format of leases that it grants. */
  readonly leaseFormat: number
}

/** A call that goes along with the question for the slot. */
export interface AheadCall {
  readonly method: string
  /** Recognised by its identity when it is asked for. */
  readonly request: unknown
}

const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY })

/**
 * Asks another node for a slot and waits until it has one.
 *
 * @throws {NodeLost} when it does not answer, or not as one that has the secret.
 * @throws {ServiceError} what its pool throws.
 */
export async function leaseSlot(
  leasingNode: LeasingNode,
  lender: LenderAddress,
  question: LeaseQuestion,
  { signal, ahead }: { readonly signal: AbortSignal; readonly ahead?: AheadCall | undefined },
): Promise<LeasedSlot> {
  signal.throwIfAborted()
  const { nodeId, secret, clock, tls } = leasingNode
  const written = ahead && writeAhead(ahead, question.account)
  const line = JSON.stringify(written === undefined ? question : { ...question, ahead: true })
  const headers = sealQuestion(secret, { from: nodeId, to: lender.id, line, at: clock.now() })
  const lost = (cause: unknown) => new NodeLost(lender.id, cause)
  const url = new URL(leasePath, lender.url)
  if ((url.protocol === 'https:') !== (tls !== undefined))
    throw lost(new Error(`only one of the two nodes has a certificate (${url.origin})`))
  const posted = { method: 'POST', headers: { ...headers } }
  const request = tls === undefined ? openRequest(url, { ...posted, agent }) : openSecureRequest(url, { ...posted, agent: tls.agent })
  let silenceLimitMs = firstSignMs
  const watch = watchSilence(
    { clock },
    () => silenceLimitMs,
    () => request.destroy(new Error(`the node was silent for ${silenceLimitMs} ms`)),
  )
  const mostMs = answerLimitMs(question, leasingNode)
  const requestedAt = clock.now()
  const askerNonce = headers['x-sepia-nonce']
  let signs = 0
  request.on('information', ({ headers: said }) => {
    const isProven = isEqual(String(said['x-sepia-seal']), signSeal(secret, lender.id, askerNonce, ++signs))
    if (!isProven && lender.leaseFormat >= 3) return request.destroy(new Error('a sign of work without proof that it is from the cluster'))
    if (clock.now() - requestedAt > mostMs) return request.destroy(new Error(`the node gave no answer within ${mostMs} ms`))
    silenceLimitMs = unbegunSilenceMs
    watch.onSign()
  })
  const first = written === undefined ? '' : new SealedLines(aheadKey(secret, lender.id, askerNonce), 'asker').seal(written)
  request.write(`${line}\n${first}`)
  try {
    const response = await orAborted(answerTo(request), signal)
    silenceLimitMs = unbegunSilenceMs
    watch.onSign()
    const lenderNonce = String(response.headers['x-sepia-nonce'])
    const proof = seal(secret, 'answer', lender.id, askerNonce, lenderNonce)
    if (response.statusCode !== 200 || !isEqual(String(response.headers['x-sepia-seal']), proof))
      throw new Error(
        `the node answered ${response.statusCode} without proof that it belongs to the cluster: its cluster-secret, clock or node-url differs`,
      )
    const key = leaseKey(secret, askerNonce, lenderNonce)
    const onBegun = () => {
      silenceLimitMs = silenceMs
    }
    const slot = new Slot({ request, response, key, clock, watch, onBegun, lost, ahead: written === undefined ? undefined : ahead })
    const answer = await orAborted(slot.open(), signal)
    if (answer.type === 'granted') return slot.grant(answer)
    await slot[Symbol.asyncDispose]()
    throw uncarryError(answer.error)
  } catch (error) {
    watch[Symbol.dispose]()
    request.on('error', () => {})
    request.destroy()
    signal.throwIfAborted()
    // The connection had been closed, which says nothing of the node; one that is made for the purpose does.
    if (request.reusedSocket && isReset(error)) return leaseSlot(leasingNode, lender, question, { signal, ahead })
    throw error instanceof Error && 'code' in error && error.name === 'ServiceError' ? error : lost(error)
  }
}

/** How long a node may say that it is there before it answers: somewhat longer than its pool lets anybody wait. */
function answerLimitMs({ kind }: LeaseQuestion, { waitLimitMs }: LeasingNode): number {
  return kind === 'text' || kind === 'image' ? waitLimitMs + silenceMs : longestLoadMs
}

/** What asks for another protocol is an answer too: else nobody would hear of it, nor of the end of the connection. */
function answerTo(request: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request.once('response', resolve)
    request.once('error', reject)
    request.once('upgrade', (response: IncomingMessage, socket: Duplex) => {
      socket.destroy()
      resolve(response)
    })
  })
}

function isReset(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ECONNRESET' || error.code === 'EPIPE')
}

/** A first call as it goes along with a question; undefined = it is too long for that. */
function writeAhead({ method, request }: AheadCall, account: string): ReturnType<typeof writePortable> | undefined {
  const written = writePortable({ type: 'call', call: aheadCall, method, request, account } satisfies AskerLine)
  return written.parts.reduce((sum, { length }) => sum + length, written.json.length) > mostAheadBytes ? undefined : written
}

interface SlotParts {
  readonly request: ClientRequest
  readonly response: IncomingMessage
  readonly key: KeyObject
  readonly clock: Clock
  readonly watch: Disposable & { onSign(): void }
  /** The first part of a call has come, so that no other node can take over. */
  readonly onBegun: () => void
  readonly lost: (cause: unknown) => NodeLost
  /** What went along with the question. */
  readonly ahead: AheadCall | undefined
}

interface OpenCall {
  readonly lines: LenderLine[]
  wake: PromiseWithResolvers<void>
}

/** Number of the call that goes along with a question. */
const aheadCall = 1

/** Lines that may wait here before the other node is left waiting. */
const window = 64

class Slot implements LeasedSlot {
  readonly #parts: SlotParts
  readonly #asker: SealedLines
  readonly #lender: SealedLines
  readonly #lines: AsyncIterator<string, unknown>
  readonly #calls = new Map<number, OpenCall>()
  readonly #pings: Disposable
  facts: LeasedSlot['facts'] = {}
  abilities: readonly string[] = []
  #error: unknown = null
  #lastCall = aheadCall
  /** Under way, and not asked for yet. */
  #ahead: AheadCall | undefined
  #reading: Promise<void> = Promise.resolve()
  #roomAgain = Promise.withResolvers<void>()
  #paused = false

  constructor(parts: SlotParts) {
    this.#parts = parts
    this.#ahead = parts.ahead
    if (parts.ahead !== undefined) this.#calls.set(aheadCall, { lines: [], wake: Promise.withResolvers() })
    this.#asker = new SealedLines(parts.key, 'asker')
    this.#lender = new SealedLines(parts.key, 'lender')
    parts.request.on('error', (error) => this.#fail(error))
    this.#lines = splitLines(this.#receivedBytes(), () => maxLineBytes)[Symbol.asyncIterator]()
    this.#pings = repeat(parts, pingMs, () => {
      this.#say({ type: 'ping' })
      // A paused reader does not count as a silent node.
      if (this.#paused) parts.watch.onSign()
    })
  }

  /** The other node's answer to the question. */
  async open(): Promise<LeaseAnswer> {
    const line = await this.#lines.next()
    if (line.done) throw new Error('the node closed the connection')
    return this.#lender.read(line.value) as LeaseAnswer
  }

  /** Begins to listen to what comes of calls. */
  grant({ facts, abilities }: Extract<LeaseAnswer, { readonly type: 'granted' }>): this {
    this.facts = facts
    this.abilities = abilities
    this.#reading = this.#read().then(
      () => this.#fail(new Error('the node closed the connection')),
      (error: unknown) => this.#fail(error),
    )
    return this
  }

  async *call(
    method: string,
    request: unknown,
    { signal, account }: { readonly signal: AbortSignal; readonly account: string },
  ): AsyncGenerator<unknown, unknown> {
    signal.throwIfAborted()
    const isAhead = this.#ahead?.method === method && this.#ahead.request === request
    if (!isAhead) this.#dropAhead()
    this.#ahead = undefined
    const call = isAhead ? aheadCall : ++this.#lastCall
    const open: OpenCall = this.#calls.get(call) ?? { lines: [], wake: Promise.withResolvers() }
    this.#calls.set(call, open)
    let ended = false
    try {
      if (!isAhead) this.#say({ type: 'call', call, method, request, account })
      for (;;) {
        const line = open.lines.shift()
        if (line === undefined) {
          if (this.#error !== null) throw this.#error
          open.wake = Promise.withResolvers()
          this.#resume()
          await orAborted(open.wake.promise, signal)
        } else if (line.type === 'part') {
          this.#parts.onBegun()
          yield line.part
        } else {
          ended = true
          if (line.type === 'failed') throw uncarryError(line.error)
          if (line.type === 'done') return line.result
        }
      }
    } finally {
      this.#calls.delete(call)
      if (!ended) this.#say({ type: 'cancel', call })
      this.#resume()
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { request, watch } = this.#parts
    if (this.#ahead !== undefined) this.#calls.delete(aheadCall)
    this.#pings[Symbol.dispose]()
    // The other node ends its answer when it has heard the end; the connection may then serve again.
    request.end()
    this.#resume()
    void this.#reading.finally(() => watch[Symbol.dispose]())
  }

  async *#receivedBytes(): AsyncGenerator<Buffer, void, undefined> {
    for await (const chunk of this.#parts.response) {
      this.#parts.watch.onSign()
      yield chunk
    }
  }

  async #read(): Promise<void> {
    for (;;) {
      const line = await this.#lines.next()
      if (line.done) return
      const said = this.#lender.read(line.value) as LenderLine
      if (said.type === 'ping') continue
      const open = this.#calls.get(said.call)
      open?.lines.push(said)
      open?.wake.resolve()
      // Not read on while a caller lags behind, so that the other node feels it.
      if ((open?.lines.length ?? 0) >= window) await this.#room()
    }
  }

  async #room(): Promise<void> {
    while ([...this.#calls.values()].some(({ lines }) => lines.length >= window) && this.#error === null) {
      this.#roomAgain = Promise.withResolvers()
      this.#paused = true
      await this.#roomAgain.promise
    }
    this.#paused = false
    this.#parts.watch.onSign()
  }

  #resume(): void {
    this.#roomAgain.resolve()
  }

  /** Stops what was sent along and is not wanted. Were its parts left lying, nothing could be heard any more. */
  #dropAhead(): void {
    if (this.#ahead === undefined) return
    this.#calls.delete(aheadCall)
    this.#say({ type: 'cancel', call: aheadCall })
    this.#resume()
  }

  #say(line: AskerLine): void {
    const { request } = this.#parts
    if (!request.destroyed && !request.writableEnded) request.write(this.#asker.write(line))
  }

  #fail(cause: unknown): void {
    if (this.#error !== null) return
    this.#error = this.#parts.lost(cause)
    this.#parts.watch[Symbol.dispose]()
    this.#parts.request.destroy()
    this.#pings[Symbol.dispose]()
    for (const { wake } of this.#calls.values()) wake.resolve()
    this.#resume()
  }
}
