/**
 * A phase of work. `load` is the loading of a model while the first request waits; `prompt` ends with the first token, `decode` and `steps`
 * with the last, `vae` with the finished pictures, `store` with the output on stable storage.
 */
export type PhaseName = 'queue' | 'load' | 'prompt' | 'decode' | 'steps' | 'vae' | 'store'

/** A completed phase. Times in Unix milliseconds. */
export interface Phase {
  readonly type: 'phase'
  readonly name: PhaseName
  readonly model: string
  readonly startedAt: number
  readonly endedAt: number
}

/** Events of running work, for traces and metrics. Times in milliseconds. */
export type WorkEvent =
  | Phase
  /** From the request to its first token, including all waiting. */
  | { readonly type: 'first-token'; readonly model: string; readonly ms: number }
  /** Between two tokens of one choice. */
  | { readonly type: 'next-token'; readonly model: string; readonly ms: number }
  /** A denoising step of one picture. */
  | { readonly type: 'step'; readonly model: string; readonly ms: number }
