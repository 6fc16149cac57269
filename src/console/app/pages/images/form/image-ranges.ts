import { maxClipSkip, maxSteps } from '../../../../../core/image-generation.ts'
import { loraRange } from '../../../parts/fields/lora-range.ts'
import { numberFault } from '../../../parts/fields/read-number.ts'
import { seedFault } from '../../../parts/fields/seed-fault.ts'
import type { ImageSettings } from './image-settings.ts'

/** Ranges of the form's number fields. */
export const imageRanges = {
  count: { min: 1, max: 16, step: 1 },
  steps: { min: 1, max: maxSteps, step: 1 },
  guidanceScale: { min: 0, max: 50, step: 0.5 },
  guidanceRescale: { min: 0, max: 1, step: 0.05 },
  strength: { min: 0.05, max: 1, step: 0.05 },
  feather: { min: 0, max: 64, step: 1 },
  padding: { min: 0, max: 1024, step: 1 },
  clipSkip: { min: 0, max: maxClipSkip, step: 1 },
  enlargement: { min: 1.1, max: 4, step: 0.1 },
  secondSteps: { min: 0, max: maxSteps, step: 1 },
  secondStrength: { min: 0.05, max: 1, step: 0.05 },
  refinerStart: { min: 0, max: 1, step: 0.05 },
} as const

/** Ranges of a ControlNet's fields. */
export const controlnetRanges = { scale: { min: 0, max: 10, step: 0.05 }, until: { min: 0, max: 1, step: 0.05 } } as const

/** The bounds and the step of a number field. */
export interface StepRange {
  readonly min: number
  readonly max: number
  readonly step: number
}

/** Whether a number is within a range. */
export function isWithin(value: number, { min, max, step }: StepRange): boolean {
  return numberFault(value, { least: min, most: max, whole: Number.isInteger(step) }) === null
}

/** Whether all numbers are valid. */
export function areNumbersRight(settings: ImageSettings): boolean {
  const names = Object.keys(imageRanges) as (keyof typeof imageRanges)[]
  return (
    seedFault(settings.seed) === null &&
    names.every((name) => isWithin(settings[name], imageRanges[name])) &&
    settings.loras.every(({ weight }) => isWithin(weight, loraRange))
  )
}
