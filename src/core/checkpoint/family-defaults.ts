import type { ImageSizes } from '../model.ts'
import type { Sampler } from '../sampler.ts'
import type { CheckpointFamily } from './checkpoint-family.ts'

/** What a checkpoint is drawn with where neither a request nor a `model.json` says otherwise. */
export interface FamilyDefaults {
  readonly native: { readonly width: number; readonly height: number }
  /** null = SDXL's nine. */
  readonly sizes: ImageSizes | null
  readonly steps: number
  readonly guidanceScale: number
  readonly sampler: Sampler
  readonly timestepSpacing: 'trailing' | null
  /** What the UNet predicts, where the name tells; null = what the file says, else noise. */
  readonly prediction: 'v_prediction' | null
}

const square = (side: number) => ({ width: side, height: side })

/**
 * Reads a family's defaults and what a checkpoint's name tells besides: few-step models want few steps and no guidance, and
 * models with `vpred` in their names and a Stable Diffusion 2 of 768 pixels were trained to predict velocities.
 *
 * @param hint A text beside the file that may say more (`.yaml`); empty when there is none.
 */
export function familyDefaults(family: CheckpointFamily, name: string, hint = ''): FamilyDefaults {
  const isNamedVelocity = family !== 'sdxl-refiner' && /v[-_ ]?pred/iu.test(name)
  const isVelocity = isNamedVelocity || (family === 'sd2' && (/768/u.test(name) || /parameterization:\s*["']?v\b/u.test(hint)))
  const side = family === 'sdxl' || family === 'sdxl-refiner' ? 1024 : isVelocity && family === 'sd2' ? 768 : 512
  return {
    native: square(side),
    sizes: side === 1024 ? null : { type: 'range', min: 64, max: 1024 },
    ...pace(name),
    prediction: isVelocity ? 'v_prediction' : null,
  }
}

function pace(name: string): Pick<FamilyDefaults, 'steps' | 'guidanceScale' | 'sampler' | 'timestepSpacing'> {
  const few = { steps: 4, guidanceScale: 1, timestepSpacing: 'trailing' } as const
  if (/(?:^|[^a-z])lcm(?:[^a-z]|$)/iu.test(name)) return { ...few, sampler: 'LCM' }
  if (/turbo|lightning/iu.test(name)) return { ...few, sampler: 'K_EULER' }
  return { steps: 30, guidanceScale: 12, sampler: 'DDIM', timestepSpacing: null }
}
