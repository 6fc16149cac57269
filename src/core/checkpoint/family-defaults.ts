import type { ImageSizes } from '../model.ts'
import type { Sampler } from '../sampler.ts'
import { type CheckpointFamily, isTransformerFamily, type TransformerFamily } from './checkpoint-family.ts'

/** Drawing defaults of a checkpoint, used where neither a request nor a `model.json` sets a value. */
export interface FamilyDefaults {
  readonly native: { readonly width: number; readonly height: number }
  readonly sizes: ImageSizes
  readonly steps: number
  readonly guidanceScale: number
  readonly sampler: Sampler
  readonly timestepSpacing: 'trailing' | null
  /** Prediction type of the UNet if the name indicates it; null = from the file, by default noise. */
  readonly prediction: 'v_prediction' | null
}

const square = (side: number) => ({ width: side, height: side })

/**
 * Derives the defaults of a checkpoint from its family and name: few-step models want few steps and no guidance, and models with `vpred` in
 * their names and a Stable Diffusion 2 of 768 pixels were trained to predict velocities.
 *
 * @param hint Content of a `.yaml` file beside the checkpoint; empty = none.
 */
export function familyDefaults(family: CheckpointFamily, name: string, hint = ''): FamilyDefaults {
  if (isTransformerFamily(family)) return transformerDefaults(family, name)
  const isNamedVelocity = family !== 'sdxl-refiner' && /v[-_ ]?pred/iu.test(name)
  const isVelocity = isNamedVelocity || (family === 'sd2' && (/768/u.test(name) || /parameterization:\s*["']?v\b/u.test(hint)))
  const side = family === 'sdxl' || family === 'sdxl-refiner' ? 1024 : isVelocity && family === 'sd2' ? 768 : 512
  return {
    native: square(side),
    sizes: { type: 'range', min: 64, max: side === 1024 ? 2048 : 1024 },
    ...pace(name),
    prediction: isVelocity ? 'v_prediction' : null,
  }
}

/** Steps and guidance recommended by the models' authors. */
const transformerPaces: Readonly<Record<TransformerFamily, Pick<FamilyDefaults, 'steps' | 'guidanceScale'>>> = {
  'flux-dev': { steps: 28, guidanceScale: 3.5 },
  'flux-schnell': { steps: 4, guidanceScale: 1 },
  'flux2-klein': { steps: 4, guidanceScale: 1 },
  'z-image': { steps: 50, guidanceScale: 4 },
  sd3: { steps: 28, guidanceScale: 4.5 },
}

/** Whether the name marks a model distilled to few steps. */
export function isTurbo(name: string): boolean {
  return /turbo/iu.test(name)
}

function transformerDefaults(family: TransformerFamily, name: string): FamilyDefaults {
  const distilled = { 'z-image': { steps: 8, guidanceScale: 0 }, sd3: { steps: 4, guidanceScale: 1 } }
  // For klein, the undistilled model is the one with a mark in its name.
  const isBase = family === 'flux2-klein' && /base/iu.test(name)
  const isDistilled = isTurbo(name) && (family === 'z-image' || family === 'sd3')
  return {
    native: square(1024),
    sizes: { type: 'range', min: 64, max: 2048 },
    ...transformerPaces[family],
    ...(isDistilled && distilled[family]),
    ...(isBase && { steps: 50, guidanceScale: 4 }),
    sampler: 'K_EULER',
    timestepSpacing: null,
    prediction: null,
  }
}

function pace(name: string): Pick<FamilyDefaults, 'steps' | 'guidanceScale' | 'sampler' | 'timestepSpacing'> {
  const few = { steps: 4, guidanceScale: 1, timestepSpacing: 'trailing' } as const
  if (/(?:^|[^a-z])lcm(?:[^a-z]|$)/iu.test(name)) return { ...few, sampler: 'LCM' }
  if (/turbo|lightning/iu.test(name)) return { ...few, sampler: 'K_EULER' }
  return { steps: 30, guidanceScale: 12, sampler: 'DDIM', timestepSpacing: null }
}
