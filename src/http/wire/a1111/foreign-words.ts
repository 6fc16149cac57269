import { ServiceError } from '../../../core/error.ts'
import { type FieldWords, fieldIn, sentenceIn } from '../../faults/field-words.ts'

/** A1111's names of the fields of /generate/image. */
export const drawingWords: FieldWords = {
  checkpoint: 'override_settings.sd_model_checkpoint',
  vae: 'override_settings.sd_vae',
  image_encoding: 'override_settings.samples_format',
  clip_skip: 'override_settings.CLIP_stop_at_last_layers',
  init_image: 'init_images',
  strength: 'denoising_strength',
  mask_image: 'mask',
  num_images: 'batch_size',
  sampler: 'sampler_name',
  style_preset: 'styles',
  controlnets: 'alwayson_scripts.ControlNet',
  controlnet_image: 'alwayson_scripts.ControlNet',
  textual_inversions: 'prompt',
  outpainting: 'inpainting_fill',
}

/** Those of /upscaling. */
export const upscalingWords: FieldWords = {
  init_image: 'image',
  model: 'upscaler_1',
  scale: 'upscaling_resize',
  output_image_width: 'upscaling_resize',
  output_image_height: 'upscaling_resize',
}

/** Runs code that reports faults of Sepia's fields, and translates its errors to A1111's names. */
export async function inA1111Words<Result>(words: FieldWords, run: () => Promise<Result>): Promise<Result> {
  const wordFor = (name: string) => fieldIn(words, name)
  const translate = (message: string) => sentenceIn(words, message)
  try {
    return await run()
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    throw new ServiceError(error.code, translate(error.message), {
      param: error.param === undefined ? undefined : wordFor(error.param),
      retryAfterSeconds: error.retryAfterSeconds,
      faults: error.faults.map(({ path: [first, ...rest], message, kind }) => ({
        path: first === undefined ? [] : [typeof first === 'string' ? wordFor(first) : first, ...rest],
        message: translate(message),
        kind,
      })),
      cause: error.cause,
    })
  }
}
