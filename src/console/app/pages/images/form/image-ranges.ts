import { mostClipSkip, mostSteps } from '../../../../../core/image-generation.ts'
import { largestLoraWeight } from '../../../../../core/images/lora.ts'
import { numberFault } from '../../../parts/fields/read-number.ts'
import { seedFault } from '../../../parts/fields/seed-fault.ts'
import type { ImageSettings } from './image-settings.ts'

/** What the form's number boxes take. */
export const imageRanges = {
  count: { min: 1, max: 16, step: 1 },
  steps: { min: 1, max: mostSteps, step: 1 },
  guidanceScale: { min: 0, max: 50, step: 0.5 },
  guidanceRescale: { min: 0, max: 1, step: 0.05 },
  strength: { min: 0.05, max: 1, step: 0.05 },
  feather: { min: 0, max: 64, step: 1 },
  padding: { min: 0, max: 1024, step: 1 },
  clipSkip: { min: 0, max: mostClipSkip, step: 1 },
  enlargement: { min: 1.1, max: 4, step: 0.1 },
  secondSteps: { min: 0, max: mostSteps, step: 1 },
  secondStrength: { min: 0.05, max: 1, step: 0.05 },
  refinerStart: { min: 0, max: 1, step: 0.05 },
} as const

/** How strongly a LoRA counts. */
export const loraRange = { min: -largestLoraWeight, max: largestLoraWeight, step: 0.05 } as const

/** What a ControlNet's boxes take. */
export const controlnetRanges = { scale: { min: 0, max: 10, step: 0.05 }, until: { min: 0, max: 1, step: 0.05 } } as const

/** Bounds of a number, and how far it moves at once. */
export interface StepRange {
  readonly min: number
  readonly max: number
  readonly step: number
}

/** Whether a number is one that a box with this range takes. */
export function isWithin(value: number, { min, max, step }: StepRange): boolean {
  return numberFault(value, { least: min, most: max, whole: Number.isInteger(step) }) === null
}

/** Whether a drawing can be asked for with these numbers. */
export function areNumbersRight(settings: ImageSettings): boolean {
  const names = Object.keys(imageRanges) as (keyof typeof imageRanges)[]
  return (
    seedFault(settings.seed) === null &&
    names.every((name) => isWithin(settings[name], imageRanges[name])) &&
    settings.loras.every(({ weight }) => isWithin(weight, loraRange))
  )
}
