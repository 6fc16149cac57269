import type { GuidanceKind } from '../images/guidance-scales.ts'
import type { CheckpointFamily } from './checkpoint-family.ts'

/** How each family applies a guidance scale. */
export const familyGuidance: Readonly<Record<CheckpointFamily, GuidanceKind>> = {
  sdxl: 'over-one',
  'sdxl-refiner': 'over-one',
  sd15: 'over-one',
  sd2: 'over-one',
  'flux-dev': 'embedded',
  'flux-schnell': 'with-negative',
  'flux2-klein': 'over-one',
  'z-image': 'over-zero',
  sd3: 'over-one',
}
