/** Noise levels of a solver's steps whose shares of signal and noise are their own, not those of latents at variance 1. */
export interface SharedTrack {
  readonly timesteps: readonly number[]
  /** Falling, followed by the final one; single precision. */
  readonly sigmas: Float32Array
  readonly shares: (index: number) => { readonly alpha: number; readonly sigma: number }
}
