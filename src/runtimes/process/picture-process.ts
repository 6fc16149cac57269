import type { ChildProcess } from 'node:child_process'
import { ServiceError } from '../../core/error.ts'
import type { InspectedImage } from '../../core/images/inspect-image.ts'
import type { Clock } from '../../core/ports/clock.ts'
import type { Confinement } from './confine/confinement.ts'
import { spawnEngine } from './confine/spawn-engine.ts'
import { unpackFailure } from './engine-failure.ts'
import type { EngineEvent, EngineFailure } from './engine-messages.ts'

export interface PictureProcessSettings {
  /** The module to run; it must call `servePictureEngine`. */
  readonly entry: URL
  /** null = not confined. */
  readonly confinement: Confinement | null
  readonly clock: Clock
  readonly log: (event: EngineEvent) => void
}

/** A decoded picture of the largest size, several times over, and the code that decodes it. */
const memoryBytes = 2 * 1024 ** 3
const modelId = 'uploaded pictures'
/** Longest time for one picture, the start of the process included; then the process is killed. */
const longestMs = 30_000

/** A process that inspects one picture at a time, so that a crash affects no other. */
export class PictureProcess implements Disposable {
  readonly #child: ChildProcess
  readonly #settings: PictureProcessSettings
  #answer = Promise.withResolvers<PictureReport>()
  #ended = false

  /** @throws {ServiceError} `server_is_overloaded` when no process can be started. */
  static async start(settings: PictureProcessSettings): Promise<PictureProcess> {
    const needs = { readable: [], memoryBytes, environment: {} }
    return new PictureProcess(await spawnEngine(settings.entry, needs, settings.confinement), settings)
  }

  private constructor(child: ChildProcess, settings: PictureProcessSettings) {
    this.#settings = settings
    this.#child = child
    this.#answer.promise.catch(() => {})
    this.#child.stdout?.resume()
    this.#child.stderr
      ?.setEncoding('utf8')
      .on('data', (line: string) => settings.log({ type: 'output', modelId, pid: this.#child.pid, line }))
    this.#child.on('message', (report) => this.#answer.resolve(report as PictureReport))
    const end = (reason: string) => {
      this.#ended = true
      this.#answer.reject(undecodable(reason))
      settings.log({ type: 'exited', modelId, pid: this.#child.pid, reason })
    }
    this.#child.once('exit', (code, signal) => end(signal === null ? `exited with code ${code}` : `killed by ${signal}`))
    this.#child.on('error', (error) => end(error.message))
  }

  get ended(): boolean {
    return this.#ended
  }

  /** @throws {ServiceError} what is wrong with the picture; `validation_error` too when it ends the process or takes too long. */
  async inspect(task: PictureTask): Promise<InspectedImage> {
    this.#answer = Promise.withResolvers()
    const done = new AbortController()
    this.#settings.clock.wait(longestMs, { signal: done.signal }).then(
      () => this[Symbol.dispose](),
      () => {},
    )
    try {
      if (this.#child.connected) this.#child.send(task, () => {})
      else this.#answer.reject(undecodable('gone'))
      const report = await this.#answer.promise
      if ('error' in report) throw unpackFailure(report.error)
      return report.description
    } finally {
      done.abort()
    }
  }

  [Symbol.dispose](): void {
    this.#ended = true
    this.#child.kill('SIGKILL')
  }
}

function undecodable(reason: string): ServiceError {
  return new ServiceError('validation_error', 'it cannot be decoded; send a PNG, JPEG or WebP that other programs open.', {
    cause: new Error(reason),
  })
}

/** One picture for a process that inspects them, which answers each with one {@link PictureReport} before it gets the next. */
export interface PictureTask {
  readonly bytes: Uint8Array
  readonly whiteAt: { readonly width: number; readonly height: number } | null
  readonly transparency: boolean
  readonly thumbnailWidth: number | null
  readonly thumbnailFormat: 'webp' | 'png'
}

export type PictureReport = { readonly description: InspectedImage } | { readonly error: EngineFailure }

/** Pictures of one account that wait; a request carries a handful at most. */
const maxPerAccount = 16
const maxTotal = 256

/** Order of inspections: accounts take turns, so that nobody waits behind all pictures of another. */
export class PictureTurns {
  readonly #places: number
  /** In the order of their turns. */
  readonly #waiting = new Map<string, (() => void)[]>()
  #busy = 0
  #count = 0

  /** @param places Pictures at once. */
  constructor(places: number) {
    this.#places = places
  }

  /** Whether no picture is being inspected. */
  get idle(): boolean {
    return this.#busy === 0
  }

  /** Resolves when it is this account's turn; {@link leave} ends that. @throws {ServiceError} `server_is_overloaded`. */
  async enter(account: string): Promise<void> {
    if (this.#busy < this.#places) {
      this.#busy += 1
      return
    }
    const own = this.#waiting.get(account) ?? []
    if (own.length >= maxPerAccount || this.#count >= maxTotal)
      throw new ServiceError('server_is_overloaded', 'Too many images are being read; try again in a few seconds.', {
        retryAfterSeconds: 5,
      })
    this.#count += 1
    this.#waiting.set(account, own)
    await new Promise<void>((resolve) => own.push(resolve))
  }

  leave(): void {
    const [turn] = this.#waiting
    if (turn === undefined) {
      this.#busy -= 1
      return
    }
    const [account, own] = turn
    const next = own.shift()
    this.#waiting.delete(account)
    if (own.length > 0) this.#waiting.set(account, own)
    this.#count -= 1
    next?.()
  }
}
