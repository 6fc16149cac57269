import type { KeyObject } from 'node:crypto'
import { Agent, type ClientRequest, type IncomingMessage, request as openRequest } from 'node:http'
import { request as openSecureRequest } from 'node:https'
import { answerTo } from '../core/outgoing/client-requests.ts'
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
  maxAheadBytes,
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
  /** Absent = nodes authenticate by their secret only. */
  readonly tls?: NodeTls | undefined
  /** Maximum wait for a slot. */
  readonly waitLimitMs: number
}

/** A slot on another node; disposing it frees the slot there. */
export interface LeasedSlot extends AsyncDisposable {
  readonly facts: Pick<TextModel, 'contextLength' | 'device'>
  /** Optional methods of the model. */
  readonly abilities: readonly string[]
  /**
   * Yields the parts of a call and returns its result.
   *
   * @throws {NodeLost} if the node is lost; the errors of the model.
   */
  call(
    method: string,
    request: unknown,
    options: { readonly signal: AbortSignal; readonly account: string },
  ): AsyncGenerator<unknown, unknown>
}

/** The node to request a slot from. */
export interface LenderAddress {
  readonly id: string
  readonly url: string
  /** Latest format of leases it grants. */
  readonly leaseFormat: number
}

/** A call sent along with the slot request. */
export interface AheadCall {
  readonly method: string
  /** Matched by identity with the actual request. */
  readonly request: unknown
}

const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY })

/**
 * Requests a slot from another node and waits for it.
 *
 * @throws {NodeLost} if it does not respond, or does not have the secret.
 * @throws {ServiceError} the errors of its pool.
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
  const requestedAt = clock.steadyNow()
  const askerNonce = headers['x-sepia-nonce']
  let signs = 0
  request.on('information', ({ headers: said }) => {
    const isProven = isEqual(String(said['x-sepia-seal']), signSeal(secret, lender.id, askerNonce, ++signs))
    if (!isProven && lender.leaseFormat >= 3) return request.destroy(new Error('a sign of work without proof that it is from the cluster'))
    if (clock.steadyNow() - requestedAt > mostMs) return request.destroy(new Error(`the node gave no answer within ${mostMs} ms`))
    silenceLimitMs = unbegunSilenceMs
    watch.onSign()
  })
  const first = written === undefined ? '' : new SealedLines(aheadKey(secret, lender.id, askerNonce), 'asker').seal(written)
  request.write(`${line}\n${first}`)
  try {
    const response = await orAborted(answerTo<IncomingMessage>(request), signal)
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
    request.destroy()
    signal.throwIfAborted()
    // A reused connection was closed, which says nothing about the node; a new one does.
    if (request.reusedSocket && isReset(error)) return leaseSlot(leasingNode, lender, question, { signal, ahead })
    throw error instanceof Error && 'code' in error && error.name === 'ServiceError' ? error : lost(error)
  }
}

/** Time limit for the answer of a responsive node: somewhat longer than its pool's maximum wait. */
function answerLimitMs({ kind }: LeaseQuestion, { waitLimitMs }: LeasingNode): number {
  return kind === 'text' || kind === 'image' ? waitLimitMs + silenceMs : longestLoadMs
}

function isReset(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ECONNRESET' || error.code === 'EPIPE')
}

/** Encodes the first call for sending along with the slot request; undefined = too long. */
function writeAhead({ method, request }: AheadCall, account: string): ReturnType<typeof writePortable> | undefined {
  const written = writePortable({ type: 'call', call: aheadCall, method, request, account } satisfies AskerLine)
  return written.parts.reduce((sum, { length }) => sum + length, written.json.length) > maxAheadBytes ? undefined : written
}

interface SlotParts {
  readonly request: ClientRequest
  readonly response: IncomingMessage
  readonly key: KeyObject
  readonly clock: Clock
  readonly watch: Disposable & { onSign(): void }
  /** Called when the first part of a call has arrived, after which no other node can take over. */
  readonly onBegun: () => void
  readonly lost: (cause: unknown) => NodeLost
  /** The call sent along with the slot request. */
  readonly ahead: AheadCall | undefined
}

interface OpenCall {
  readonly lines: LenderLine[]
  wake: PromiseWithResolvers<void>
}

/** Number of the call sent along with the slot request. */
const aheadCall = 1

/** Maximum number of buffered lines before the other node must wait. */
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
  /** Sent along and not claimed yet. */
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

  /** The other node's answer to the slot request. */
  async open(): Promise<LeaseAnswer> {
    const line = await this.#lines.next()
    if (line.done) throw new Error('the node closed the connection')
    return this.#lender.read(line.value) as LeaseAnswer
  }

  /** Starts receiving the results of calls. */
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
    // The other node ends its response when it has received the end; the connection may then be reused.
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
      // Stops reading while a caller lags behind, which applies back-pressure to the other node.
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

  /** Cancels an unclaimed call that was sent along; its buffered parts would block the connection. */
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
