import { setImmediate } from 'node:timers/promises'
import { ServiceError } from '../../core/error.ts'
import type { TorchGenerator } from './noise/torch-generator.ts'
import { type Solver, type SolverState, startAt } from './schedulers/solver.ts'
import type { LatentSize } from './unet/conditioning.ts'
import type { Guidance, GuidedUnet } from './unet/guided-unet.ts'
import { floatAt, valueAt } from './value-at.ts'

/** Keeps parts of a picture while the rest is repainted. */
export interface Inpainting {
  /** Latents of the picture to keep. */
  readonly clean: Float32Array
  readonly noise: Float32Array
  /** Per latent pixel, 1 = repaint. */
  readonly mask: Float32Array
}

/** One image to be denoised. */
export interface Drawing extends Guidance {
  readonly solver: Solver
  /** Timestep the solver starts at. */
  readonly begin: number
  /** Timestep it stops before; the solver's length for a finished picture. */
  readonly end: number
  readonly latents: Float32Array
  /** The image's stream of noise, after the first noise was drawn. */
  readonly generator: TorchGenerator
  readonly inpainting: Inpainting | null
}

/** Progress of a drawing after an evaluation of the UNet. */
export interface DenoisingProgress {
  readonly done: number
  readonly total: number
  readonly size: LatentSize
  /** The clean latents the last prediction stands for; computed when called. */
  readonly estimate: () => Float32Array
}

/**
 * Runs the denoising loop of one image.
 *
 * @returns The denoised latents.
 * @throws {ServiceError} `numerical_error` when NaN or Inf appears; the signal's reason when aborted, before the next step.
 */
export async function denoise(
  { unet }: { readonly unet: Pick<GuidedUnet, 'prepare'> },
  drawing: Drawing,
  { signal, onStep }: { readonly signal: AbortSignal; readonly onStep: (progress: DenoisingProgress) => Promise<void> | void },
): Promise<Float32Array> {
  const { solver, begin, end } = drawing
  requireFinite([drawing.positive.hidden, drawing.positive.pooled], textFault)
  const predict = unet.prepare(drawing)
  let state = startAt(begin)
  let latents = drawing.latents
  for (let done = 1; state.index < end; done++) {
    // An evaluation blocks the event loop; an abort can only arrive in between.
    await setImmediate()
    signal.throwIfAborted()
    const input = solver.scaleInput(state, latents)
    const timestep = valueAt(solver.timesteps, state.index)
    const prediction = await predict(input, timestep, done / (end - begin))
    if (done === 1) requireFinite([prediction], networkFault)
    const before = { state, latents }
    const step = solver.step(state, prediction, latents, () => drawing.generator.normal(latents.length))
    state = step.state
    latents = keepOutside(drawing, state, step.latents)
    requireFinite([latents], drawingFault)
    await onStep({
      done,
      total: end - begin,
      size: drawing.size,
      estimate: () => solver.denoised(before.state, prediction, before.latents),
    })
  }
  return latents
}

/** Restores the kept part of the picture outside the mask, with the current noise level. */
function keepOutside({ inpainting, solver }: Drawing, state: SolverState, latents: Float32Array): Float32Array {
  if (inpainting === null) return latents
  const { clean, noise, mask } = inpainting
  const kept = state.index < solver.timesteps.length ? solver.addNoise(state, clean, noise) : clean
  return latents.map((value, i) => {
    const share = mask[i % mask.length] ?? 1
    return (1 - share) * floatAt(kept, i) + share * value
  })
}

const damaged = 'its file is damaged, or its numbers exceed half precision; use another file'
const textFault = { message: `The text encoder of this model returned NaN or infinity: ${damaged}.`, param: 'model' }
const networkFault = { message: `This model returned NaN or infinity in the first step: ${damaged}.`, param: 'model' }
const drawingFault = { message: 'The image model produced NaN or infinity; try another seed, sampler or guidance scale.', param: null }

/** @throws {ServiceError} `numerical_error` when a value is NaN or infinite. */
function requireFinite(
  lists: readonly Float32Array[],
  { message, param }: { readonly message: string; readonly param: string | null },
): void {
  for (const values of lists)
    if (!values.every(Number.isFinite)) throw new ServiceError('numerical_error', message, { ...(param && { param }) })
}
