/**
 * What a piece of work spends its time on. `load` is a model's, within the wait of the first request; `prompt` ends with the first token,
 * `decode` and `steps` with the last, `vae` with the finished pictures, `store` with the output on stable storage.
 */
export type PhaseName = 'queue' | 'load' | 'prompt' | 'decode' | 'steps' | 'vae' | 'store'

/** A stretch of time that work has spent. Times in Unix milliseconds. */
export interface Phase {
  readonly type: 'phase'
  readonly name: PhaseName
  readonly model: string
  readonly startedAt: number
  readonly endedAt: number
}

/** What work tells of itself while it runs, for traces and metrics. Times in milliseconds. */
export type WorkEvent =
  | Phase
  /** From the request to its first token, with all its waiting. */
  | { readonly type: 'first-token'; readonly model: string; readonly ms: number }
  /** Between two tokens of one choice. */
  | { readonly type: 'next-token'; readonly model: string; readonly ms: number }
  /** A denoising step of one picture. */
  | { readonly type: 'step'; readonly model: string; readonly ms: number }
