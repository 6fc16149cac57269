import { numberFault } from '../../parts/fields/read-number.ts'
import { seedFault } from '../../parts/fields/seed-fault.ts'
import type { ImageSettings } from './image-settings.ts'

/** What the form's number boxes take. */
export const imageRanges = {
  count: { min: 1, max: 16, step: 1 },
  steps: { min: 1, max: 200, step: 1 },
  guidanceScale: { min: 0.5, max: 50, step: 0.5 },
  strength: { min: 0.05, max: 1, step: 0.05 },
} as const

/** Whether a drawing can be asked for with these numbers. */
export function areNumbersRight(settings: ImageSettings): boolean {
  const names = ['count', 'steps', 'guidanceScale', 'strength'] as const
  const isRight = (name: (typeof names)[number]) => {
    const { min, max, step } = imageRanges[name]
    return numberFault(settings[name], { least: min, most: max, whole: Number.isInteger(step) }) === null
  }
  return seedFault(settings.seed) === null && names.every(isRight)
}
