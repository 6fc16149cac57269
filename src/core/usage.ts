/** One finished request in the books; never its content. */
export interface UsageEntry {
  readonly accountId: string
  readonly tokenId: string | null
  readonly model: string
  readonly kind: 'chat' | 'completion' | 'embedding' | 'rerank' | 'image'
  readonly outcome: 'succeeded' | 'failed' | 'cancelled'
  readonly promptTokens: number
  readonly completionTokens: number
  readonly images: number
  /** At the price of that time, in millionths of the unit that prices are in; 0 where the model had none. */
  readonly cost: number
  readonly durationMs: number
  /** Unix milliseconds. */
  readonly at: number
}

/** Sums of one UTC day, account and model. */
export interface UsageDay {
  /** `YYYY-MM-DD`, UTC. */
  readonly day: string
  readonly accountId: string
  readonly model: string
  readonly requests: number
  readonly failures: number
  readonly promptTokens: number
  readonly completionTokens: number
  readonly images: number
  /** In millionths. */
  readonly cost: number
}
