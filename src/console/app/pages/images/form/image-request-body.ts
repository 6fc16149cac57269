import type { ImageRequestBody } from '../../../interface/submit-image.ts'
import { readNumber } from '../../../parts/fields/read-number.ts'
import type { StartingImage } from '../start/starting-image.ts'
import type { ChosenControlnet } from './controlnets.ts'
import type { ImageAbilities } from './image-abilities.ts'
import type { ImageSettings } from './image-settings.ts'

/** The parts of an image request other than the settings. */
export interface ImageRequestParts {
  readonly start: StartingImage | null
  readonly controlnets: readonly ChosenControlnet[]
  /** Reference pictures, as `data:` URLs. */
  readonly references: readonly string[]
  readonly abilities: ImageAbilities
}

/** The request for these settings, without fields that the model does not support or that have no effect. */
export function imageRequestBody(settings: ImageSettings, parts: ImageRequestParts): ImageRequestBody {
  const { abilities } = parts
  return {
    checkpoint: settings.model,
    prompt: settings.prompt.trim(),
    ...promptFields(settings, abilities),
    width: settings.width,
    height: settings.height,
    steps: settings.steps,
    cfg_scale: settings.guidanceScale,
    sampler: settings.sampler,
    ...(settings.count > 1 && { num_images: settings.count }),
    ...(settings.seed !== '' && abilities.takesSeeds && { seed: readNumber(settings.seed) }),
    ...(settings.style && { style_preset: settings.style }),
    image_encoding: settings.encoding,
    ...(abilities.startsFromImage && parts.start && startFields(settings, parts.start)),
    ...(abilities.takesReferences && parts.references.length > 0 && { reference_images: parts.references.map(base64Of) }),
    ...(abilities.refines && refinerFields(settings)),
    ...(drawsTwice(settings, parts) && secondPassFields(settings, abilities)),
    ...assetFields(settings, parts),
    ...(settings.logPrompt && { log_prompt: true }),
  }
}

/** Whether the guidance is strong enough for a negative prompt. */
export function usesNegativePrompt({ guidanceScale }: ImageSettings, { negativeOver }: Pick<ImageAbilities, 'negativeOver'>): boolean {
  return negativeOver !== null && guidanceScale > negativeOver
}

function promptFields(settings: ImageSettings, abilities: ImageAbilities): Partial<ImageRequestBody> {
  const { secondPrompts, clipSkip, rescalesGuidance } = abilities
  const guided = usesNegativePrompt(settings, abilities)
  const [negative, prompt2, negative2] = [settings.negativePrompt, settings.prompt2, settings.negativePrompt2].map((text) => text.trim())
  return {
    ...(secondPrompts && prompt2 && { prompt_2: prompt2 }),
    ...(guided && negative && { negative_prompt: negative }),
    ...(guided && secondPrompts && negative2 && { negative_prompt_2: negative2 }),
    ...(guided && rescalesGuidance && settings.guidanceRescale > 0 && { guidance_rescale: settings.guidanceRescale }),
    ...(settings.clipSkip > 0 && clipSkip > 0 && { clip_skip: settings.clipSkip }),
  }
}

function startFields(settings: ImageSettings, { url, mask, extended }: StartingImage): Partial<ImageRequestBody> {
  const picture = { init_image: base64Of(url), strength: settings.strength }
  if (mask === null) return picture
  return {
    ...picture,
    mask_image: base64Of(mask),
    ...(settings.feather > 0 && { mask_blur: settings.feather }),
    ...(settings.fullResolution && { inpaint_full_res: true, inpaint_full_res_padding: settings.padding }),
    ...(extended && { outpainting: true }),
  }
}

/** Whether there is a second pass; it cannot begin with a picture. */
function drawsTwice({ twice }: ImageSettings, { start, abilities }: ImageRequestParts): boolean {
  return twice && abilities.drawsTwice && (start === null || !abilities.startsFromImage)
}

function secondPassFields(settings: ImageSettings, { upscalers }: ImageAbilities): Partial<ImageRequestBody> {
  return {
    enable_hr: true,
    hr_scale: settings.enlargement,
    denoising_strength: settings.secondStrength,
    ...(upscalers.includes(settings.upscaler) && { hr_upscaler: settings.upscaler }),
    ...(settings.secondSteps > 0 && { hr_second_pass_steps: settings.secondSteps }),
  }
}

function refinerFields({ refine, refinerStart }: ImageSettings): Partial<ImageRequestBody> {
  return refine ? { use_refiner: true, high_noise_frac: refinerStart } : { use_refiner: false }
}

function assetFields(settings: ImageSettings, { controlnets, abilities: { assets } }: ImageRequestParts): Partial<ImageRequestBody> {
  const fits = (kind: (typeof assets)[number]['kind'], name: string) => assets.some((asset) => asset.kind === kind && asset.name === name)
  const loras = settings.loras.filter(({ name }) => fits('lora', name))
  const inversions = settings.inversions.filter(({ name, word }) => word.trim() !== '' && fits('textual-inversion', name))
  const nets = controlnets.flatMap(({ name, url, scale, until, preprocess }) =>
    url !== null && fits('controlnet', name)
      ? [{ name, image: base64Of(url), conditioning_scale: scale, early_stop: until, preprocess }]
      : [],
  )
  return {
    ...(loras.length > 0 && { loras: Object.fromEntries(loras.map(({ name, weight }) => [name, weight])) }),
    ...(inversions.length > 0 && { textual_inversions: Object.fromEntries(inversions.map(({ name, word }) => [name, word.trim()])) }),
    ...(fits('vae', settings.vae) && { vae: settings.vae }),
    ...(nets.length > 0 && { controlnets: nets }),
  }
}

function base64Of(dataUrl: string): string {
  return dataUrl.slice(dataUrl.indexOf(',') + 1)
}
