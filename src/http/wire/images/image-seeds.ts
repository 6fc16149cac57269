import { randomInt } from 'node:crypto'
import type { FieldFault } from '../../../core/error.ts'
import { fieldFault } from '../../faults/refuse-faults.ts'

const seedCount = 2 ** 32

/** Finds lists of the wrong length, and single seeds whose last image would leave the range. */
export function findSeedFaults(seed: number | readonly number[] | undefined, images: number): readonly FieldFault[] {
  if (typeof seed === 'object' && seed.length !== images)
    return [fieldFault('seed', `must list one seed per image: ${images}, not ${seed.length}.`, 'range')]
  if (typeof seed === 'number' && seed + images > seedCount)
    return [fieldFault('seed', `must be at most ${seedCount - images} for ${images} images, which use seed + 1 and so on.`, 'range')]
  return []
}

/** One seed per image. Missing seeds are drawn here, so that a stored request always means the same. */
export function readSeeds(seed: number | readonly number[] | undefined, images: number): readonly number[] {
  if (typeof seed === 'object') return seed
  const first = seed ?? randomInt(seedCount - images + 1)
  return Array.from({ length: images }, (_, index) => first + index)
}
