import type { ImageRequestBody } from '../../interface/submit-image.ts'
import { readNumber } from '../../parts/fields/read-number.ts'
import type { ImageSettings } from './image-settings.ts'
import type { StartingImage } from './starting-image.ts'

/** The request for these settings. */
export function imageRequestBody(settings: ImageSettings, start: StartingImage | null): ImageRequestBody {
  return {
    checkpoint: settings.model,
    prompt: settings.prompt.trim(),
    ...(settings.negativePrompt.trim() && { negative_prompt: settings.negativePrompt.trim() }),
    width: settings.width,
    height: settings.height,
    steps: settings.steps,
    cfg_scale: settings.guidanceScale,
    sampler: settings.sampler,
    ...(settings.count > 1 && { num_images: settings.count }),
    ...(settings.seed !== '' && { seed: readNumber(settings.seed) }),
    ...(settings.style && { style_preset: settings.style }),
    image_encoding: settings.encoding,
    ...(start && { init_image: base64Of(start.url), strength: settings.strength }),
    ...(start?.mask && { mask_image: base64Of(start.mask) }),
  }
}

function base64Of(dataUrl: string): string {
  return dataUrl.slice(dataUrl.indexOf(',') + 1)
}
