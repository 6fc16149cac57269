import { defined } from '../../../../../core/defined.ts'
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
  /** Reference images, as `data:` URLs. */
  readonly references: readonly string[]
  readonly abilities: ImageAbilities
}

/** The request for these settings, without fields that the model does not support or that have no effect. */
export function imageRequestBody(settings: ImageSettings, parts: ImageRequestParts): ImageRequestBody {
  const { abilities, start, references } = parts
  const guided = usesNegativePrompt(settings, abilities)
  const two = abilities.secondPrompts
  return defined({
    checkpoint: settings.model,
    prompt: settings.prompt.trim(),
    prompt_2: textIf(two, settings.prompt2),
    negative_prompt: textIf(guided, settings.negativePrompt),
    negative_prompt_2: textIf(guided && two, settings.negativePrompt2),
    guidance_rescale: positiveIf(guided && abilities.rescalesGuidance, settings.guidanceRescale),
    clip_skip: positiveIf(abilities.clipSkip > 0, settings.clipSkip),
    width: settings.width,
    height: settings.height,
    steps: settings.steps,
    cfg_scale: settings.guidanceScale,
    sampler: settings.sampler,
    num_images: positiveIf(settings.count > 1, settings.count),
    seed: abilities.takesSeeds && settings.seed !== '' ? readNumber(settings.seed) : undefined,
    style_preset: settings.style || undefined,
    image_encoding: settings.encoding,
    ...(abilities.startsFromImage && start && startFields(settings, start)),
    reference_images: abilities.takesReferences ? filled(references.map(base64Of)) : undefined,
    use_refiner: abilities.refines ? settings.refine : undefined,
    high_noise_frac: abilities.refines && settings.refine ? settings.refinerStart : undefined,
    ...(drawsTwice(settings, parts) && secondPassFields(settings, abilities)),
    ...assetFields(settings, parts),
    log_prompt: settings.logPrompt || undefined,
  })
}

/** Whether the guidance is strong enough for a negative prompt. */
export function usesNegativePrompt({ guidanceScale }: ImageSettings, { negativeOver }: Pick<ImageAbilities, 'negativeOver'>): boolean {
  return negativeOver !== null && guidanceScale > negativeOver
}

function startFields(settings: ImageSettings, { url, mask, extended }: StartingImage) {
  const { strength, fullResolution } = settings
  const picture = { init_image: base64Of(url), strength }
  if (mask === null) return picture
  return {
    ...picture,
    mask_image: base64Of(mask),
    mask_blur: positiveIf(true, settings.feather),
    inpaint_full_res: fullResolution || undefined,
    inpaint_full_res_padding: fullResolution ? settings.padding : undefined,
    outpainting: extended || undefined,
  }
}

/** Whether there is a second pass; it cannot begin with a picture. */
function drawsTwice({ twice }: ImageSettings, { start, abilities }: ImageRequestParts): boolean {
  return twice && abilities.drawsTwice && (start === null || !abilities.startsFromImage)
}

function secondPassFields(settings: ImageSettings, { upscalers }: ImageAbilities) {
  return {
    enable_hr: true,
    hr_scale: settings.enlargement,
    denoising_strength: settings.secondStrength,
    hr_upscaler: upscalers.includes(settings.upscaler) ? settings.upscaler : undefined,
    hr_second_pass_steps: positiveIf(true, settings.secondSteps),
  }
}

function assetFields(settings: ImageSettings, { controlnets, abilities: { assets } }: ImageRequestParts) {
  const fits = (kind: (typeof assets)[number]['kind'], name: string) => assets.some((asset) => asset.kind === kind && asset.name === name)
  const loras = settings.loras.filter(({ name }) => fits('lora', name))
  const inversions = settings.inversions.filter(({ name, word }) => word.trim() !== '' && fits('textual-inversion', name))
  const nets = controlnets.flatMap(({ name, url, scale, until, preprocess }) =>
    url !== null && fits('controlnet', name)
      ? [{ name, image: base64Of(url), conditioning_scale: scale, early_stop: until, preprocess }]
      : [],
  )
  return {
    loras: record(loras.map(({ name, weight }) => [name, weight])),
    textual_inversions: record(inversions.map(({ name, word }) => [name, word.trim()])),
    vae: fits('vae', settings.vae) ? settings.vae : undefined,
    controlnets: filled(nets),
  }
}

function textIf(holds: boolean, text: string): string | undefined {
  return (holds && text.trim()) || undefined
}

function positiveIf(holds: boolean, value: number): number | undefined {
  return holds && value > 0 ? value : undefined
}

function filled<Item>(items: Item[]): Item[] | undefined {
  return items.length === 0 ? undefined : items
}

function record<Value>(entries: [string, Value][]): Record<string, Value> | undefined {
  return entries.length === 0 ? undefined : Object.fromEntries(entries)
}

function base64Of(dataUrl: string): string {
  return dataUrl.slice(dataUrl.indexOf(',') + 1)
}
