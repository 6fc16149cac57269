import type { CheckpointFamily } from '../checkpoint/checkpoint-family.ts'

/**
 * How a family applies a guidance scale. `over-one`: classifier-free guidance above 1. `over-zero`: the same with 0 as its neutral value.
 * `with-negative`: classifier-free guidance above 1 if a negative prompt is given. `embedded`: the scale is an input of the network;
 * classifier-free guidance needs its own scale and a negative prompt.
 */
export type GuidanceKind = 'over-one' | 'over-zero' | 'with-negative' | 'embedded'

/** Scales applied in a drawing. */
export interface GuidanceScales {
  /** Whether classifier-free guidance is on, which also predicts for the negative prompt. */
  readonly guided: boolean
  /** Factor of the difference between both predictions; 1 = no guidance. */
  readonly guidanceScale: number
  /** Input of `embedded` networks; ignored by others. */
  readonly embeddedGuidance: number
}

/** The scales a family applies for those of a request. */
export function guidanceScales(
  kind: GuidanceKind,
  { scale, outer = 1, hasNegative }: { readonly scale: number; readonly outer?: number; readonly hasNegative: boolean },
): GuidanceScales {
  switch (kind) {
    case 'over-one':
      return { guided: scale > 1, guidanceScale: scale, embeddedGuidance: scale }
    case 'over-zero':
      return { guided: scale > 0, guidanceScale: scale + 1, embeddedGuidance: scale }
    case 'with-negative':
      return { guided: scale > 1 && hasNegative, guidanceScale: scale, embeddedGuidance: scale }
    case 'embedded':
      return { guided: outer > 1 && hasNegative, guidanceScale: outer, embeddedGuidance: scale }
  }
}

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
