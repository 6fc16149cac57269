import Type, { type Static } from 'typebox'
import { imageEncodings, maxClipSkip, maxSteps } from '../../../core/image-generation.ts'
import { maxControlnets } from '../../../core/images/controlnet.ts'
import { largestLoraWeight, maxLoras } from '../../../core/images/lora.ts'
import { maxReferences } from '../../../core/images/references.ts'
import { stylePresetNames } from '../../../core/images/style-preset.ts'
import { samplers } from '../../../core/sampler.ts'
import { choiceField, closed, defaultsOf, flagField, integerField, numberField, optional } from '../../faults/object-schema.ts'
import { unsupportedField } from './unsupported-fields.ts'

const prompt = { maxLength: 10_000 }
const promptText = 'What to draw; `(word:1.3)` and `[word]` change the weight of words.'
const seed = Type.Integer({ minimum: 0, maximum: 2 ** 32 - 1 })
const fileForms = 'PNG, JPEG or WebP in base64; a data-URI prefix is accepted.'

/** A1111's name for enlarging the latents themselves. */
export const latent = 'Latent'

const change = (description: string, fallback: number) => {
  const schema = Type.Number({ exclusiveMinimum: 0, maximum: 1, default: fallback, description })
  return Object.assign(schema, { default: fallback })
}

/** Fields of a drawing in two passes, with A1111's names. */
export const highResolutionFields = optional({
  enable_hr: flagField('Whether the image is enlarged and refined in a second pass.', false),
  hr_scale: numberField(1.1, 4, 'Factor by which the image is enlarged.', 2),
  hr_upscaler: Type.String({
    minLength: 1,
    default: latent,
    description: '`Latent` enlarges the latents; the name of an installed upscaler enlarges the image of the first pass.',
  }),
  hr_second_pass_steps: integerField(0, maxSteps, 'Steps of the second pass; 0 = the same number.', 0),
  denoising_strength: change('How much the second pass may change; needs enable_hr.', 0.7),
})

const layerShare = (what: string, fallback: number) =>
  numberField(0, 1, `Share of the steps ${what}; needs skip_guidance_layers.`, fallback)

/** Fields of POST /generate/sdxl that describe the drawing, with their ranges. */
export const imageFields = {
  prompt: Type.String({ minLength: 1, ...prompt, description: promptText }),
  ...optional({
    prompt_2: Type.String({ ...prompt, description: 'For the second text encoder; the prompt by default.' }),
    negative_prompt: Type.String({ ...prompt, description: 'What the image should not show.' }),
    negative_prompt_2: Type.String({ ...prompt, description: 'For the second text encoder; the negative prompt by default.' }),
    width: integerField(8, 8192, 'With height, a size the model allows.'),
    height: integerField(8, 8192, 'With width, a size the model allows.'),
    steps: integerField(1, maxSteps, "Denoising steps; the model's own by default."),
    cfg_scale: numberField(0, 50, "Guidance; the model's own by default. 0 = none."),
    guidance_rescale: numberField(0, 1, 'How far strong guidance is scaled back to the contrast of the unguided image.', 0),
    num_images: integerField(1, 16, 'Images to draw.', 1),
    seed: Type.Union([seed, Type.Array(seed, { minItems: 1, maxItems: 16 })], {
      description: 'Image i uses seed + i; or a list with one seed per image. Random by default.',
    }),
    sampler: Type.Enum(samplers, { description: "The model's own by default." }),
    image_encoding: choiceField(imageEncodings, 'File format of the images.', 'jpeg'),
    init_image: Type.String({ minLength: 1, description: `The image to start from: ${fileForms}` }),
    strength: change('How much of init_image to change.', 0.8),
    reference_images: Type.Array(Type.String({ minLength: 1 }), {
      minItems: 1,
      maxItems: maxReferences,
      description: `FLUX.2 klein: reference images for the prompt, such as "the fox of image 1 in the room of image 2"; each ${fileForms}`,
    }),
    mask_image: Type.String({ minLength: 1, description: `White is repainted: ${fileForms}` }),
    inpaint_full_res: flagField('Whether the masked region is drawn at full size.', false),
    inpaint_full_res_padding: integerField(0, 1024, 'Pixels around that region; needs inpaint_full_res.', 32),
    mask_blur: integerField(0, 64, "Pixels to each side over which the mask's edge is softened; needs mask_image.", 0),
    outpainting: flagField('Whether the mask extends the image beyond its edges.', false),
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
    controlnet_image: Type.String({ minLength: 1, description: `The image for the ControlNet: ${fileForms}` }),
    controlnet_conditioning_scale: numberField(0, 10, 'Its strength.', 1),
    controlnet_early_stop: numberField(0, 1, 'Share of the steps after which the ControlNet ends.', 1),
    controlnet_preprocess: flagField('Whether Sepia finds edges for a canny ControlNet; other images are used unchanged.', true),
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
    high_noise_frac: numberField(0, 1, 'Share of the steps before the refiner.', 0.8),
  }),
  ...highResolutionFields,
  ...optional({
    skip_guidance_layers: Type.Array(Type.Integer({ minimum: 0, maximum: 63 }), {
      minItems: 1,
      maxItems: 16,
      description: 'Stable Diffusion 3.5: blocks left out of a third prediction that the drawing is guided away from, such as [7, 8, 9].',
    }),
    skip_layer_guidance_scale: numberField(0, 50, 'Its strength; needs skip_guidance_layers.', 2.8),
    skip_layer_guidance_start: layerShare('after which it begins', 0.01),
    skip_layer_guidance_stop: layerShare('after which it ends', 0.2),
    model: Type.String({ minLength: 1, description: 'An installed image model, see /v1/models.' }),
    checkpoint: Type.String({ minLength: 1, description: "OctoAI's name for `model`." }),
    log_prompt: flagField('Whether the prompt may be written to the log.', false),
  }),
}

/** Defaults that do not depend on the model. */
export const imageDefaults = defaultsOf(imageFields)

/** Fields of the original service that no engine supports yet. To support one, move it into {@link imageFields} and read it. */
export const unsupportedImageFields = {
  transfer_images: unsupportedField({}),
}

/** The body of POST /generate/sdxl. */
export const imageRequestSchema = closed({ ...imageFields, ...unsupportedImageFields })

/** The body of POST /generate/image, which may describe nothing. */
export const freeImageRequestSchema = closed({
  ...imageRequestSchema.properties,
  prompt: Type.String({ ...prompt, description: `${promptText} If empty, the model decides.` }),
})

export type ImageBody = Static<typeof imageRequestSchema>
