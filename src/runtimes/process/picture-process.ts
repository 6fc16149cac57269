import type { ChildProcess } from 'node:child_process'
import { ServiceError } from '../../core/error.ts'
import type { Clock } from '../../core/ports/clock.ts'
import type { Confinement } from './confine/confinement.ts'
import { spawnEngine } from './confine/spawn-engine.ts'
import type { EngineEvent } from './engine-event.ts'
import { unpackFailure } from './engine-failure.ts'
import type { PictureDescription, PictureReport, PictureTask } from './picture-messages.ts'

export interface PictureProcessSettings {
  /** The module to run; it must call `servePictureEngine`. */
  readonly entry: URL
  /** null = not confined. */
  readonly confinement: Confinement | null
  readonly clock: Clock
  readonly log: (event: EngineEvent) => void
  /** Longest time for one picture, the start of the process included; then the process is killed. Default 30 s. */
  readonly patienceMs?: number
}

/** A decoded picture of the largest size, several times over, and the code that decodes it. */
const memoryBytes = 2 * 1024 ** 3
const modelId = 'uploaded pictures'

/** A process that inspects one picture at a time, so that one that breaks it hurts nobody else. */
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
  async inspect(task: PictureTask): Promise<PictureDescription> {
    this.#answer = Promise.withResolvers()
    const done = new AbortController()
    const { clock, patienceMs = 30_000 } = this.#settings
    clock.wait(patienceMs, { signal: done.signal }).then(
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
