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
