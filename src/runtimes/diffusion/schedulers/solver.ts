/** State of an image's solver. It belongs to one request, and each step returns a new one. */
export interface SolverState {
  /** Place in the solver's timesteps, 0 = the noisiest. */
  readonly index: number
  /** Steps taken since the start, which may be after the first timestep (image-to-image). */
  readonly taken: number
  /** Earlier results in the form the solver keeps them, newest last. */
  readonly history: readonly Float32Array[]
  /** The latents a solver with several stages goes back to, or null. */
  readonly anchor: Float32Array | null
}

/** One step's result. */
export interface SolverStep {
  readonly state: SolverState
  readonly latents: Float32Array
}

/**
 * A diffusion scheduler prepared for a number of steps: timesteps and noise levels are fixed, every method is pure.
 * All arrays are float32 latents of one image, [4, height / 8, width / 8] flattened.
 */
export interface Solver {
  /** The UNet's timestep at each evaluation, in order; second-order solvers have more evaluations than steps. */
  readonly timesteps: readonly number[]
  /** Factor of the first noise. */
  readonly initialNoiseScale: number
  /** Timesteps that belong to one step, for starting in the middle (diffusers' `order`). */
  readonly order: 1 | 2
  /** Whether a start from a picture takes the step that its strength ends in; absent = it begins with the next. */
  readonly countsPartialStep?: true
  /** The latents as the UNet takes them at the state's timestep. */
  scaleInput(state: SolverState, latents: Float32Array): Float32Array
  /**
   * Moves the latents one timestep on.
   *
   * @param prediction What the UNet answered, guidance applied.
   * @param draw Gives fresh normal noise of the latents' size; called only when needed, in diffusers' order.
   */
  step(state: SolverState, prediction: Float32Array, latents: Float32Array, draw: () => Float32Array): SolverStep
  /** Adds noise to clean latents, at the level of the state's timestep. */
  addNoise(state: SolverState, clean: Float32Array, noise: Float32Array): Float32Array
  /** The clean latents a prediction stands for, for previews. */
  denoised(state: SolverState, prediction: Float32Array, latents: Float32Array): Float32Array
}

/** The state before the first step at `index`. */
export function startAt(index: number): SolverState {
  return { index, taken: 0, history: [], anchor: null }
}

/** The state after one evaluation. */
export function after(state: SolverState, kept: Partial<Pick<SolverState, 'history' | 'anchor'>> = {}): SolverState {
  return { ...state, index: state.index + 1, taken: state.taken + 1, ...kept }
}
