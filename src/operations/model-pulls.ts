import { checkPullSource, type ModelPull, type PullDesk } from '../core/model-pull.ts'
import type { Clock } from '../core/ports/clock.ts'

/** Downloads a model into the data folder; resolves when it can be used. */
export type PullModel = (
  source: string,
  options: { readonly signal: AbortSignal; readonly onProgress: (bytesDone: number, bytesTotal: number) => void },
) => Promise<void>

/** Window for measuring the speed. */
const rateOverMs = 15_000

/** The pull desk of a service on one machine. */
export function createLocalPullDesk(pulls: Pick<ModelPulls, 'list' | 'start' | 'remove'>): PullDesk {
  return {
    list: () => pulls.list().map((pull) => ({ ...pull, node: null })),
    start: (source) => pulls.start(source),
    remove: (source) => pulls.remove(source),
  }
}

interface RunningPull {
  readonly pull: Omit<ModelPull, 'bytesPerSecond'>
  readonly controller: AbortController
  /** Recent progress within the window of the speed. */
  readonly progress: readonly { readonly at: number; readonly bytes: number }[]
}

/** Pulls started by owners since the service started; they do not depend on an open page. */
export class ModelPulls {
  readonly #pullModel: PullModel
  readonly #clock: Pick<Clock, 'now'>
  readonly #pulls = new Map<string, RunningPull>()

  constructor(pullModel: PullModel, clock: Pick<Clock, 'now'>) {
    this.#pullModel = pullModel
    this.#clock = clock
  }

  list(): readonly ModelPull[] {
    return [...this.#pulls.values()].map(({ pull, progress }) => ({ ...pull, bytesPerSecond: this.#rateOf(pull, progress) }))
  }

  /**
   * Starts a pull; a running pull of the same source continues.
   *
   * @param startedAt Time of the request on another node; absent = now.
   * @returns Whether one was started.
   * @throws {ServiceError} `validation_error`.
   */
  start(source: string, startedAt = this.#clock.now()): boolean {
    checkPullSource(source)
    if (this.#pulls.get(source)?.pull.state === 'pulling') return false
    const controller = new AbortController()
    const pull = { source, startedAt, state: 'pulling', bytesDone: 0, bytesTotal: 0, reason: null } as const
    this.#pulls.set(source, { controller, pull, progress: [] })
    void this.#run(source, controller.signal)
    return true
  }

  /**
   * Stops a running pull or dismisses an ended one. Downloaded parts are kept for the next attempt.
   *
   * @param startedAt Only the pull with this start; absent = any.
   * @returns Whether there was one.
   */
  remove(source: string, startedAt?: number): boolean {
    if (startedAt !== undefined && this.#pulls.get(source)?.pull.startedAt !== startedAt) return false
    this.#pulls.get(source)?.controller.abort()
    return this.#pulls.delete(source)
  }

  /** Stops every pull. */
  close(): void {
    for (const source of this.#pulls.keys()) this.remove(source)
  }

  async #run(source: string, signal: AbortSignal): Promise<void> {
    const onProgress = (bytesDone: number, bytesTotal: number) => this.#change(source, signal, { bytesDone, bytesTotal })
    try {
      await this.#pullModel(source, { signal, onProgress })
      this.#change(source, signal, { state: 'done' })
    } catch (error) {
      this.#change(source, signal, { state: 'failed', reason: error instanceof Error ? error.message : String(error) })
    }
  }

  #change(source: string, signal: AbortSignal, change: Partial<ModelPull>): void {
    const known = this.#pulls.get(source)
    // The same source may have been removed and started again, with another signal.
    if (known === undefined || signal.aborted) return
    const at = this.#clock.now()
    const pull = { ...known.pull, ...change }
    // The last sample before the window stays, so that slow pulls have a speed too.
    const from = known.progress.findLastIndex((moment) => moment.at <= at - rateOverMs)
    const recent = from < 0 ? known.progress : known.progress.slice(from)
    const isSameMoment = recent.at(-1)?.at === at
    const progress = [...(isSameMoment ? recent.slice(0, -1) : recent), { at, bytes: pull.bytesDone }]
    this.#pulls.set(source, { ...known, pull, progress })
  }

  /** Null with fewer than two samples, and after the end. */
  #rateOf({ state, bytesDone }: RunningPull['pull'], progress: RunningPull['progress']): number | null {
    const first = progress[0]
    const now = this.#clock.now()
    if (state !== 'pulling' || first === undefined || now <= first.at) return null
    return (bytesDone - first.bytes) / ((now - first.at) / 1000)
  }
}
