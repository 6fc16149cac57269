import { ServiceError } from './error.ts'

/** The files and sizes of a pull before it starts. */
export interface PullPlan {
  readonly id: string
  readonly license: string | null
  /** By path relative to the model's folder; `sha256` in hexadecimal. */
  readonly files: Readonly<Record<string, { readonly bytes: number; readonly sha256: string }>>
  readonly bytes: number
  /** Free bytes at the destination. */
  readonly freeBytes: number
  /** Notes of the source for the user. */
  readonly notes: readonly string[]
}

/** A model found by searching the hub. */
export interface FoundOnHub {
  /** Argument for `sepia model pull`. */
  readonly source: string
  readonly downloads: number
  readonly license: string | null
  /** Whether the terms must be accepted before downloading. */
  readonly gated: boolean
}

/** The state of a pull, running or ended. */
export interface ModelPull {
  /** As entered by the owner; others see a hub name, or the last part of an address. */
  readonly source: string
  /** Unix milliseconds; tells repeated pulls of one source apart. */
  readonly startedAt: number
  readonly state: 'pulling' | 'done' | 'failed'
  readonly bytesDone: number
  /** 0 until the model's file list has arrived. */
  readonly bytesTotal: number
  /** Recent speed; null = unknown yet, or ended. */
  readonly bytesPerSecond: number | null
  /** Why it failed, shown to owners; null = it has not. */
  readonly reason: string | null
}

/** A pull with the machine it runs on. */
export interface PlacedPull extends ModelPull {
  /** Name of the machine; null = there is only one. */
  readonly node: string | null
}

/** @throws {ServiceError} `validation_error` if the source has no supported form. */
export function checkPullSource(source: string): void {
  if (!URL.canParse(source) || !['http:', 'https:', 'hf:'].includes(new URL(source).protocol))
    throw new ServiceError('validation_error', 'Enter a hub name, such as hf:Qwen/Qwen3-8B-GGUF, or the web address of a model.json.', {
      param: 'source',
    })
}

/** The pulls of the whole service. */
export interface PullDesk {
  /** The pulls of all machines: running ones, and ended ones until they are dismissed. */
  list(): readonly PlacedPull[]
  /**
   * Starts a pull on this machine or, if it runs no models, on one that does. A pull of the same source that is already running continues.
   *
   * @returns Whether one was started.
   * @throws {ServiceError} `validation_error`, and `server_is_overloaded` when no machine runs models.
   */
  start(source: string): boolean
  /**
   * Stops a running pull, or dismisses an ended one, on any machine. Downloaded parts are kept for the next attempt.
   *
   * @returns Whether there was one.
   */
  remove(source: string): boolean
}

/** The pull without its address, which may contain internal host names; public hub names stay. */
export function withoutAddress({ source, ...pull }: PlacedPull): PlacedPull {
  const shown = source.startsWith('hf:') ? source : (source.split(/[?#]/)[0]?.split('/').filter(Boolean).at(-1) ?? 'a model')
  return { ...pull, source: shown, reason: null }
}
