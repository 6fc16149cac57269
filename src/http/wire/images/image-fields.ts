import Type, { type Static } from 'typebox'
import { imageEncodings, maxClipSkip, maxSteps } from '../../../core/image-generation.ts'
import { maxControlnets } from '../../../core/images/controlnet.ts'
import { largestLoraWeight, maxLoras } from '../../../core/images/lora.ts'
import { maxReferences } from '../../../core/images/references.ts'
import { stylePresetNames } from '../../../core/images/style-preset.ts'
import { samplers } from '../../../core/sampler.ts'
import { closed, integerField, numberField, optional } from '../../faults/object-schema.ts'
import { highResolutionFields } from './high-resolution-fields.ts'
import { skipLayerFields } from './skip-layer-fields.ts'
import { unsupportedField } from './unsupported-fields.ts'

const prompt = { maxLength: 10_000 }
const promptText = 'What to draw; `(word:1.3)` and `[word]` change the weight of words.'
const seed = Type.Integer({ minimum: 0, maximum: 2 ** 32 - 1 })
const fileForms = 'PNG, JPEG or WebP in base64; a data-URI prefix is accepted.'

/** Defaults that do not depend on the model. */
export const imageDefaults = {
  num_images: 1,
  image_encoding: 'jpeg',
  strength: 0.8,
  inpaint_full_res: false,
  inpaint_full_res_padding: 32,
  mask_blur: 0,
  outpainting: false,
  guidance_rescale: 0,
  high_noise_frac: 0.8,
  log_prompt: false,
} as const

/** Fields of POST /generate/sdxl that describe the drawing, with their ranges. */
export const imageFields = {
  prompt: Type.String({ minLength: 1, ...prompt, description: promptText }),
  ...optional({
    prompt_2: Type.String({ ...prompt, description: 'For the second text encoder; the prompt by default.' }),
    negative_prompt: Type.String({ ...prompt, description: 'What not to draw.' }),
    negative_prompt_2: Type.String({ ...prompt, description: 'For the second text encoder; the negative prompt by default.' }),
    width: integerField(8, 8192, 'With height, a size the model allows.'),
    height: integerField(8, 8192, 'With width, a size the model allows.'),
    steps: integerField(1, maxSteps, "Denoising steps; the model's own by default."),
    cfg_scale: numberField(0, 50, "Guidance; the model's own by default. 0 = none."),
    guidance_rescale: numberField(
      0,
      1,
      'How far strong guidance is scaled back to the contrast of the unguided image.',
      imageDefaults.guidance_rescale,
    ),
    num_images: integerField(1, 16, 'Images to draw.', imageDefaults.num_images),
    seed: Type.Union([seed, Type.Array(seed, { minItems: 1, maxItems: 16 })], {
      description: 'Image i uses seed + i; or a list with one seed per image. Random by default.',
    }),
    sampler: Type.Enum(samplers, { description: "The model's own by default." }),
    image_encoding: Type.Enum(imageEncodings, { default: imageDefaults.image_encoding, description: 'File format of the images.' }),
    init_image: Type.String({ minLength: 1, description: `The image to start from: ${fileForms}` }),
    strength: Type.Number({
      exclusiveMinimum: 0,
      maximum: 1,
      default: imageDefaults.strength,
      description: 'How much of init_image to change.',
    }),
    reference_images: Type.Array(Type.String({ minLength: 1 }), {
      minItems: 1,
      maxItems: maxReferences,
      description: `FLUX.2 klein: reference pictures for the prompt, such as "the fox of image 1 in the room of image 2"; each ${fileForms}`,
    }),
    mask_image: Type.String({ minLength: 1, description: `White is repainted: ${fileForms}` }),
    inpaint_full_res: Type.Boolean({
      default: imageDefaults.inpaint_full_res,
      description: 'Whether the masked region is drawn at full size.',
    }),
    inpaint_full_res_padding: integerField(
      0,
      1024,
      'Pixels around that region; needs inpaint_full_res.',
      imageDefaults.inpaint_full_res_padding,
    ),
    mask_blur: integerField(
      0,
      64,
      "Pixels to each side over which the mask's edge is softened; needs mask_image.",
      imageDefaults.mask_blur,
    ),
    outpainting: Type.Boolean({ default: imageDefaults.outpainting, description: 'Whether the mask extends the image beyond its edges.' }),
    style_preset: Type.String({
      description: `One of the ${stylePresetNames.length} presets in docs/images.md, as \`craft-clay\` or \`Craft Clay\`.`,
    }),
    loras: Type.Record(Type.String(), Type.Number({ minimum: -largestLoraWeight, maximum: largestLoraWeight }), {
      maxProperties: maxLoras,
      description: 'LoRAs by asset name with their weights; `<lora:name:0.8>` in the prompt does the same.',
    }),
    textual_inversions: Type.Record(Type.String(), Type.String({ minLength: 1, maxLength: 100 }), {
      maxProperties: 16,
      description: 'Textual inversions by asset name, each with the word that represents it in the prompts.',
    }),
    vae: Type.String({ minLength: 1, description: "A VAE by asset name, in place of the model's own." }),
    controlnet: Type.String({ minLength: 1, description: 'A ControlNet by asset name; needs controlnet_image.' }),
    controlnet_image: Type.String({ minLength: 1, description: `The picture for the ControlNet: ${fileForms}` }),
    controlnet_conditioning_scale: numberField(0, 10, 'Its strength; 1 by default.'),
    controlnet_early_stop: numberField(0, 1, 'Share of the steps after which the ControlNet ends; 1 by default.'),
    controlnet_preprocess: Type.Boolean({
      description: 'Whether Sepia finds edges for a canny ControlNet; other pictures are used unchanged. True by default.',
    }),
    controlnets: Type.Array(
      closed({
        name: Type.String({ minLength: 1 }),
        image: Type.String({ minLength: 1 }),
        ...optional({
          conditioning_scale: Type.Number({ minimum: 0, maximum: 10 }),
          early_stop: Type.Number({ minimum: 0, maximum: 1 }),
          preprocess: Type.Boolean(),
        }),
      }),
      {
        maxItems: maxControlnets,
        description: 'Several ControlNets at once, each with name, image, conditioning_scale, early_stop and preprocess.',
      },
    ),
    clip_skip: integerField(1, maxClipSkip, 'Last layers of the text encoders to leave out.'),
    use_refiner: Type.Boolean({ description: 'True by default where the model has a refiner.' }),
    high_noise_frac: numberField(0, 1, 'Share of the steps before the refiner.', imageDefaults.high_noise_frac),
  }),
  ...highResolutionFields,
  ...skipLayerFields,
  ...optional({
    model: Type.String({ minLength: 1, description: 'An installed image model, see /v1/models.' }),
    checkpoint: Type.String({ minLength: 1, description: "The original service's name of `model`." }),
    log_prompt: Type.Boolean({ default: imageDefaults.log_prompt, description: 'Whether the prompt may be written to the log.' }),
  }),
}

/** Fields of the original service that no engine supports yet. To support one, move it into {@link imageFields} and read it. */
export const unsupportedImageFields = {
  transfer_images: unsupportedField({}),
}

/** The body of POST /generate/sdxl. */
export const imageRequestSchema = closed({ ...imageFields, ...unsupportedImageFields })

/** The body of POST /generate/image, which may describe nothing. */
export const freeImageRequestSchema = closed({
  ...imageRequestSchema.properties,
  prompt: Type.String({ ...prompt, description: `${promptText} An empty one leaves it to the model.` }),
})

export type ImageBody = Static<typeof imageRequestSchema>
