import { ServiceError } from './error.ts'

/** What pulling a model would do. */
export interface PullPlan {
  readonly id: string
  readonly license: string | null
  /** By path inside the model's folder; `sha256` in hexadecimal. */
  readonly files: Readonly<Record<string, { readonly bytes: number; readonly sha256: string }>>
  readonly bytes: number
  /** Bytes left where it would go. */
  readonly freeBytes: number
  /** What its source says one should know before. */
  readonly notes: readonly string[]
}

/** A model that the hub found. */
export interface FoundOnHub {
  /** What `sepia model pull` takes. */
  readonly source: string
  readonly downloads: number
  readonly license: string | null
  /** Whether terms must be accepted before it can be fetched. */
  readonly gated: boolean
}

/** A model on its way to a machine, or how that ended. */
export interface ModelPull {
  /** As the owner gave it; to others a name of the hub, or the last part of an address. */
  readonly source: string
  /** Unix milliseconds; tells one try from the next. */
  readonly startedAt: number
  readonly state: 'pulling' | 'done' | 'failed'
  readonly bytesDone: number
  /** 0 until the model's own list of files has arrived. */
  readonly bytesTotal: number
  /** Lately; null = not known yet, or it has ended. */
  readonly bytesPerSecond: number | null
  /** Why it failed, for owners, or null. */
  readonly reason: string | null
}

/** A pull and where it goes. */
export interface PlacedPull extends ModelPull {
  /** Name of the machine; null = the service has but one. */
  readonly node: string | null
}

/** @throws {ServiceError} `validation_error` for what no pull can begin with. */
export function checkPullSource(source: string): void {
  if (!URL.canParse(source) || !['http:', 'https:', 'hf:'].includes(new URL(source).protocol))
    throw new ServiceError('validation_error', 'Enter a hub name, such as hf:Qwen/Qwen3-8B-GGUF, or the web address of a model.json.', {
      param: 'source',
    })
}

/** The pulls of the whole service. */
export interface PullDesk {
  /** Pulls under way, and those that ended until somebody clears them away, of every machine. */
  list(): readonly PlacedPull[]
  /**
   * Starts a pull on this machine, or where this one lends no models on one that does; a source that is being pulled there already stays as it is.
   *
   * @throws {ServiceError} `validation_error`, and `server_is_overloaded` when there is no machine that lends models.
   */
  start(source: string): void
  /** Stops a pull, or clears away one that ended, wherever it is. What has arrived is kept for the next try. */
  remove(source: string): void
}

/** A pull without its source, which may hold names of the operator's network; names of the hub stay, since they are public. */
export function withoutAddress({ source, ...pull }: PlacedPull): PlacedPull {
  const shown = source.startsWith('hf:') ? source : (source.split(/[?#]/)[0]?.split('/').filter(Boolean).at(-1) ?? 'a model')
  return { ...pull, source: shown, reason: null }
}
