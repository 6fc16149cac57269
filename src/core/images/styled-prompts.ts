import { ServiceError } from '../error.ts'
import type { ImageRequest } from '../image-generation.ts'
import { shortName } from '../requests/short-name.ts'
import { findStylePreset, type StylePreset } from './style-preset.ts'

/** A request's texts after its look was put around them. */
export type StyledPrompts = Pick<ImageRequest, 'prompt' | 'prompt2' | 'negative'>

/** @throws {ServiceError} `validation_error` for a look that does not exist. */
export function stylePrompts({ stylePreset: name, prompt, prompt2, negative, guidanceScale }: ImageRequest): StyledPrompts {
  if (name === null) return { prompt, prompt2, negative }
  const preset = findStylePreset(name)
  if (preset === undefined)
    throw new ServiceError('validation_error', `There is no style preset "${shortName(name)}".`, { param: 'style_preset' })
  const unwanted = (own = ''): string => [preset.negativePrompt, own].filter((text) => text !== '').join(', ')
  return {
    prompt: around(preset, prompt),
    prompt2: around(preset, prompt2),
    // Without guidance nothing keeps a look's unwanted words out; a request's own are refused before.
    negative:
      negative === null && (preset.negativePrompt === '' || guidanceScale <= 1)
        ? null
        : { prompt: unwanted(negative?.prompt), prompt2: unwanted(negative?.prompt2) },
  }
}

function around(preset: StylePreset, prompt: string): string {
  // Not String.replace: a dollar sign in a prompt would be special in it.
  return preset.prompt.split('{prompt}').join(prompt)
}
