import type { InspectedImage, InspectionOptions } from '../../core/images/inspect-image.ts'
import { PictureProcess, type PictureProcessSettings, type PictureTask, PictureTurns } from './picture-process.ts'

export interface PictureInspectorSettings extends PictureProcessSettings {
  /** Idle time after which processes exit; default one minute. */
  readonly idleMs?: number
}

/** Pictures that are inspected at once, each in a process of its own. */
const maxProcesses = 2

/**
 * Inspects uploaded pictures in separate processes, since native decoders handle untrusted data. Processes start on demand and exit when
 * idle.
 */
export class PictureInspector implements Disposable {
  readonly #settings: PictureInspectorSettings
  readonly #turns = new PictureTurns(maxProcesses)
  readonly #idle: PictureProcess[] = []
  readonly #processes = new Set<PictureProcess>()
  #resting = new AbortController()
  #disposed = false

  constructor(settings: PictureInspectorSettings) {
    this.#settings = settings
  }

  /**
   * @throws {ServiceError} `validation_error` for a picture that cannot be used, `server_is_overloaded` when too many wait already or no process can be started.
   */
  async inspect(
    bytes: Uint8Array,
    { signal, whiteAt, transparency = false, thumbnailWidth, thumbnailFormat = 'webp', account = '' }: InspectionOptions,
  ): Promise<InspectedImage> {
    signal.throwIfAborted()
    await this.#turns.enter(account)
    let process: PictureProcess | null = null
    try {
      process = await this.#takeProcess()
      // After an abort too the process is busy until it has answered.
      return await process.inspect({
        bytes,
        whiteAt: whiteAt ?? null,
        transparency,
        thumbnailWidth: thumbnailWidth ?? null,
        thumbnailFormat,
      } satisfies PictureTask)
    } finally {
      this.#giveBack(process)
    }
  }

  [Symbol.dispose](): void {
    this.#disposed = true
    this.#resting.abort()
    for (const process of this.#processes) process[Symbol.dispose]()
  }

  async #takeProcess(): Promise<PictureProcess> {
    this.#resting.abort()
    const known = this.#idle.pop()
    if (known !== undefined && !known.ended) return known
    if (known !== undefined) this.#processes.delete(known)
    const process = await PictureProcess.start(this.#settings)
    if (this.#disposed) process[Symbol.dispose]()
    this.#processes.add(process)
    return process
  }

  #giveBack(process: PictureProcess | null): void {
    if (process?.ended === true) this.#processes.delete(process)
    else if (process !== null) this.#idle.push(process)
    this.#turns.leave()
    if (this.#turns.idle) this.#rest()
  }

  #rest(): void {
    this.#resting = new AbortController()
    const { clock, idleMs = 60_000 } = this.#settings
    clock.wait(idleMs, { signal: this.#resting.signal }).then(
      () => {
        for (const process of this.#idle.splice(0)) {
          this.#processes.delete(process)
          process[Symbol.dispose]()
        }
      },
      () => {},
    )
  }
}
