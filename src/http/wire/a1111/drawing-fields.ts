import Type, { type Static } from 'typebox'
import { maxSteps } from '../../../core/image-generation.ts'
import { choiceField, closed, flagField, integerField, numberField, optional } from '../../faults/object-schema.ts'
import { ignoredFields } from '../ignored-fields.ts'
import { highResolutionFields, imageDefaults } from '../images/image-fields.ts'
import { scriptsSchema } from './controlnet-units.ts'
import { drawingOnly, highResolutionOnly, onlyFields, startingOnly } from './only-values.ts'
import { schedulers, solverNames } from './sampler-names.ts'

const prompt = { maxLength: 10_000, default: '' }
const side = (name: string) => integerField(8, 8192, `${name} in pixels; the model's own if it cannot draw 512 × 512.`, 512)
const count = (description: string) => integerField(1, 16, description, 1)

/** A1111's defaults. */
export const drawingDefaults = {
  prompt: '',
  negative_prompt: '',
  styles: [],
  seed: -1,
  sampler_name: null,
  sampler_index: 'Euler',
  scheduler: 'automatic',
  batch_size: 1,
  n_iter: 1,
  steps: 50,
  cfg_scale: 7,
  width: 512,
  height: 512,
  override_settings: {},
  override_settings_restore_afterwards: true,
  alwayson_scripts: {},
  send_images: true,
  save_images: false,
} as const

const settingsSchema = closed(
  {
    ...optional({
      sd_model_checkpoint: Type.String({ minLength: 1, maxLength: 400, description: 'An installed image model, see /sdapi/v1/sd-models.' }),
      sd_vae: Type.String({ maxLength: 400, description: "A VAE by asset name; `Automatic` or `None` = the model's own." }),
      CLIP_stop_at_last_layers: integerField(
        1,
        12,
        'Stable Diffusion 1 and 2: the last layer of the text encoder that is used, counted from the end.',
      ),
      samples_format: choiceField(['png', 'jpg', 'jpeg', 'webp'], 'File format of the images.', 'png'),
      live_previews_enable: Type.Boolean({
        description: 'Whether /sdapi/v1/progress has previews; by default if the token asked for progress in the last ten minutes.',
      }),
    }),
    ...ignoredFields('eta_noise_seed_delta', 'forge_additional_modules', 'show_progress_every_n_steps', 'live_preview_refresh_period'),
  },
  { description: 'Settings for this request only.' },
)

/** Sent by SillyTavern for its own server; answers never repeat it. */
export const sentToOthers = ['url', 'auth'] as const

/** The fields that txt2img and img2img share. */
const sharedFields = {
  ...optional({
    prompt: Type.String({
      ...prompt,
      description:
        'What to draw; `(word:1.3)` and `[word]` change weights, `<lora:name:0.8>` adds a LoRA, and the name of an embedding applies it.',
    }),
    negative_prompt: Type.String({ ...prompt, description: 'What the image should not show.' }),
    styles: Type.Array(Type.String({ maxLength: 100 }), {
      maxItems: 1,
      description: 'One of the presets of docs/images.md, see /sdapi/v1/prompt-styles.',
    }),
    seed: integerField(-1, 2 ** 32 - 1, 'Image i uses seed + i; -1 = random.', -1),
    sampler_name: Type.String({ maxLength: 100, description: `${solverNames.join(', ')}; ${drawingDefaults.sampler_index} by default.` }),
    sampler_index: Type.String({ maxLength: 100, description: 'The older name for `sampler_name`.' }),
    scheduler: Type.String({
      maxLength: 100,
      default: drawingDefaults.scheduler,
      description: `${schedulers.map(({ label }) => label).join(', ')}.`,
    }),
    batch_size: count('Images to draw; multiplied by `n_iter`, at most 16.'),
    n_iter: count('The same as `batch_size`.'),
    steps: integerField(1, maxSteps, 'Denoising steps.', drawingDefaults.steps),
    cfg_scale: numberField(0, 50, 'Guidance; 1 = none.', drawingDefaults.cfg_scale),
    width: side('Width'),
    height: side('Height'),
    clip_skip: integerField(0, 12, 'The same as `CLIP_stop_at_last_layers`; some programs send it here.'),
    override_settings: settingsSchema,
    override_settings_restore_afterwards: Type.Boolean({ description: 'Accepted; settings never outlast a request.' }),
    alwayson_scripts: scriptsSchema,
    send_images: flagField('Whether the answer contains the images.', true),
    save_images: flagField('Accepted; the service keeps none.', false),
  }),
  ...onlyFields(drawingOnly),
  ...ignoredFields(
    'subseed',
    'eta',
    's_tmin',
    's_tmax',
    'do_not_save_samples',
    'do_not_save_grid',
    'script_args',
    'force_task_id',
    'comments',
    'refiner_switch_at',
    'hr_additional_modules',
    'hr_cfg',
    ...sentToOthers,
  ),
}

const { denoising_strength: _, ...highResolution } = highResolutionFields

/** The body of POST /sdapi/v1/txt2img. */
export const txt2imgSchema = closed({
  ...sharedFields,
  ...highResolution,
  ...optional({
    hr_scale: Type.Number({
      default: imageDefaults.hr_scale,
      description: 'Enlargement factor, 1.1 to 4; used with `enable_hr`.',
    }),
    denoising_strength: numberField(0, 1, 'How much the second pass may change; used with `enable_hr`.', imageDefaults.denoising_strength),
  }),
  ...onlyFields(highResolutionOnly),
})

/** The body of POST /sdapi/v1/img2img. */
export const img2imgSchema = closed({
  ...sharedFields,
  init_images: Type.Array(Type.String({ minLength: 1 }), {
    minItems: 1,
    maxItems: 1,
    description: 'The image to start from: PNG, JPEG or WebP in base64; a data-URI prefix is accepted.',
  }),
  ...optional({
    denoising_strength: numberField(0, 1, 'How much of it to change.', 0.75),
    resize_mode: integerField(0, 3, '0 = the image has the proportions of the output, 1 = crop it to them.', 0),
    mask: Type.String({ description: 'White is repainted: an image in base64.' }),
    mask_blur: integerField(0, 64, "Pixels over which the mask's edge is softened.", 4),
    inpainting_fill: integerField(
      0,
      3,
      'Initial content under the mask: 0 = the colours around it, 1 = the image. 2 and 3 are rejected.',
      0,
    ),
    inpaint_full_res: Type.Union([Type.Boolean(), Type.Enum([0, 1])], {
      default: true,
      description: 'Whether the masked region is drawn at full size.',
    }),
    inpaint_full_res_padding: integerField(0, 1024, 'Pixels around that region.', 0),
    include_init_images: flagField('Whether `parameters` of the answer contains the images that were sent.', false),
  }),
  ...onlyFields(startingOnly),
  ...ignoredFields('image_cfg_scale', 'mask_round', 'mask_blur_x', 'mask_blur_y'),
})

export type Txt2imgBody = Static<typeof txt2imgSchema>
export type Img2imgBody = Static<typeof img2imgSchema>
export type SharedBody = Static<typeof sharedExample>
const sharedExample = Type.Object(sharedFields)
