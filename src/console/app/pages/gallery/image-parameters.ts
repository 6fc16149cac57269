import type { ImageParameters } from '../../../../core/images/parameters-text.ts'
import { samplers } from '../../../../core/sampler.ts'
import type { ImageSettings } from '../images/form/image-settings.ts'

/** The playground settings in a picture's parameters. */
export function settingsOf({ prompt, negativePrompt, fields }: ImageParameters): Partial<ImageSettings> {
  const size = fields.get('Size')?.match(/^(\d+)x(\d+)$/)
  const sampler = samplers.find((name) => name === fields.get('Sampler'))
  const steps = Number(fields.get('Steps'))
  const guidanceScale = Number(fields.get('CFG scale'))
  const seed = fields.get('Seed')
  return {
    prompt,
    negativePrompt,
    ...(steps > 0 && { steps }),
    ...(guidanceScale > 0 && { guidanceScale }),
    ...(seed && { seed, count: 1 }),
    ...(sampler && { sampler }),
    ...(size && { width: Number(size[1]), height: Number(size[2]) }),
  }
}
