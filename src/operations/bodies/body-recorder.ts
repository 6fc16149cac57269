import { randomUUID } from 'node:crypto'
import type { Inference } from '../../core/inference.ts'
import type { BodyKeys } from '../../core/ports/body-keys.ts'
import type { Clock } from '../../core/ports/clock.ts'
import type { BodyDropReason, BodyLogSwitch } from '../../core/requests/logged-body.ts'
import { neverAborted } from '../../core/waiting.ts'
import type { EncodedOutput } from '../deferred/outputs.ts'
import { BodyCapture } from './body-capture.ts'
import { listBodyLogs } from './body-log.ts'
import { type BodyTarget, type KeptBodyDependencies, keepBody, type NewBody } from './kept-bodies.ts'

/** Bytes of bodies in memory, collected or waiting to be written; more are left out, for nobody's request waits for the log. */
const mostHeldBytes = 64 * 1024 * 1024
const mostWaiting = 10_000
const writtenAtOnce = 4

export interface BodyRecorderDependencies extends KeptBodyDependencies {
  readonly clock: Pick<Clock, 'now'>
  readonly keys: BodyKeys
  /** Bytes of one account's log. */
  readonly mostBytes: number
  readonly onDropped: (drop: { readonly reason: BodyDropReason; readonly accountId: string }) => void
  readonly onFault: (error: unknown) => void
}

type Requested = Pick<Inference, 'id' | 'accountId'>
/** With when its request was over, in Unix milliseconds. */
type WaitingBody = NewBody & { readonly at: number }

/** Writes bodies of the accounts whose log is on, while nobody waits for it: what does not fit is left out and counted. */
export class BodyRecorder implements AsyncDisposable {
  readonly #deps: BodyRecorderDependencies
  readonly #waiting: WaitingBody[] = []
  #switches: ReadonlyMap<string, BodyLogSwitch> = new Map()
  #requested = 0
  #held = 0
  #writing = 0
  #idle: PromiseWithResolvers<void> | null = null

  constructor(deps: BodyRecorderDependencies) {
    this.#deps = deps
  }

  /** Reads again which logs are on: a duty every few seconds, and every change at once. */
  async refresh(options: { readonly signal: AbortSignal }): Promise<void> {
    this.#requested += 1
    const requested = this.#requested
    const found = await listBodyLogs(this.#deps, options)
    // What was read before a change must not undo it.
    if (requested !== this.#requested) return
    this.#switches = new Map(found.map((each) => [each.accountId, each]))
    if (found.length > 0) await this.#deps.keys.refresh()
  }

  /** How the log of an account is switched; null = off. */
  of(accountId: string): BodyLogSwitch | null {
    const found = this.#switches.get(accountId)
    return found === undefined || (found.until !== null && found.until <= this.#deps.clock.now()) ? null : found
  }

  /** Collects the bodies of one request of an account whose log is on. */
  open({ accountId }: BodyLogSwitch): BodyCapture {
    return new BodyCapture({
      take: (bytes) => this.#take(accountId, bytes),
      release: (bytes) => {
        this.#held -= bytes
      },
    })
  }

  /**
   * Keeps what was collected; the capture is empty afterwards.
   *
   * @param exchange What no other request has; left out = something new.
   */
  record(capture: BodyCapture, target: BodyTarget, exchange: string = randomUUID()): void {
    const shared = { ...target, exchange, at: this.#deps.clock.now() }
    for (const body of capture.finish()) this.#enqueue({ ...shared, ...body })
  }

  /** Keeps the output of an inference: the answer of a request that nobody waits for. */
  recordOutput({ id: requestId, accountId }: Requested, { contentType, chunks }: Pick<EncodedOutput, 'contentType' | 'chunks'>): void {
    this.#recordBody({ accountId, requestId }, { part: 'answer', path: null, contentType }, chunks)
  }

  /** Keeps a line of a batch as the request that it is. */
  recordLine({ id: requestId, accountId }: Requested, { path, body }: { readonly path: string; readonly body: unknown }): void {
    const pieces = [Buffer.from(JSON.stringify(body))]
    this.#recordBody({ accountId, requestId }, { part: 'request', path, contentType: 'application/json' }, pieces)
  }

  /** Resolves when all is written that was recorded before. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#writing === 0) return
    this.#idle ??= Promise.withResolvers()
    await this.#idle.promise
  }

  #recordBody(
    target: { readonly accountId: string; readonly requestId: string },
    { part, ...described }: Pick<NewBody, 'part' | 'path' | 'contentType'>,
    pieces: Iterable<Uint8Array>,
  ): void {
    const found = this.of(target.accountId)
    if (found === null) return
    const capture = this.open(found)
    for (const piece of pieces) capture.add(part, piece)
    capture.describe(part, { ...described, status: null })
    // The id of an inference is the service's own.
    this.record(capture, target, target.requestId)
  }

  #take(accountId: string, bytes: number): boolean {
    if (this.#held + bytes > mostHeldBytes) {
      this.#deps.onDropped({ reason: 'waiting', accountId })
      return false
    }
    this.#held += bytes
    return true
  }

  #enqueue(body: WaitingBody): void {
    if (this.#waiting.length >= mostWaiting) {
      this.#leaveOut(body, 'waiting')
      return
    }
    this.#waiting.push(body)
    if (this.#writing >= writtenAtOnce) return
    this.#writing += 1
    void this.#write().finally(() => {
      this.#writing -= 1
      if (this.#writing === 0) this.#idle?.resolve()
    })
  }

  async #write(): Promise<void> {
    for (let body = this.#waiting.shift(); body !== undefined; body = this.#waiting.shift()) {
      const dropped = await this.#keep(body).catch((error: unknown) => {
        this.#deps.onFault(error)
        return 'fault' as const
      })
      this.#leaveOut(body, dropped)
    }
  }

  /** Frees what a body held; it was written where there is no reason. */
  #leaveOut({ accountId, pieces }: NewBody, reason: BodyDropReason | null): void {
    this.#held -= pieces.reduce((sum, piece) => sum + piece.length, 0)
    if (reason !== null) this.#deps.onDropped({ reason, accountId })
  }

  async #keep({ at, ...body }: WaitingBody): Promise<BodyDropReason | null> {
    const { keys, mostBytes: most } = this.#deps
    // Switched off meanwhile, it is nobody's loss.
    const found = this.of(body.accountId)
    if (found === null) return null
    const key = keys.current()
    if (key === null) return 'key'
    const result = await keepBody(this.#deps, { key, body, at, keepMs: found.keepMs, most }, neverAborted)
    return result === 'full' ? 'full' : null
  }
}
