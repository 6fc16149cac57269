import { ServiceError } from '../../core/error.ts'

/** The refusal of a starting picture by a model without a VAE encoder. */
export function missingEncoder(): ServiceError {
  return new ServiceError('unsupported', 'This model cannot start from an image: leave out init_image.', { param: 'init_image' })
}
