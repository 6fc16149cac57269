import { mostSteps } from '../../../../core/image-generation.ts'
import type { ImageModelDescriptor } from '../../../../core/model.ts'

/** OpenAI's quality levels, of all its models. */
export const imageQualities = ['auto', 'low', 'medium', 'high', 'standard', 'hd'] as const
export type ImageQuality = (typeof imageQualities)[number]

const shares = { low: 0.5, medium: 1, high: 1.5 } as const

/** The quality in the answer. */
export function plainQuality(quality: ImageQuality): keyof typeof shares {
  if (quality === 'hd') return 'high'
  return quality === 'auto' || quality === 'standard' ? 'medium' : quality
}

/** The number of denoising steps of a quality for one model. */
export function stepsFor(quality: ImageQuality, { defaults, bounds }: ImageModelDescriptor): number {
  const most = defaults.sampler === 'LCM' ? (bounds?.lcmSteps ?? mostSteps) : mostSteps
  return Math.min(most, Math.ceil(defaults.steps * shares[plainQuality(quality)]))
}
