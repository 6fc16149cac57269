import Type, { type Static } from 'typebox'
import { imageEncodings, maxSteps } from '../../../../core/image-generation.ts'
import type { ImageModelDescriptor } from '../../../../core/model.ts'
import { choiceField, closed, defaultsOf, flagField, integerField, optional } from '../../../faults/object-schema.ts'
import { imageFields } from '../image-fields.ts'
import { unsupportedField } from '../unsupported-fields.ts'

/** OpenAI's quality levels, of all its models. */
const imageQualities = ['auto', 'low', 'medium', 'high', 'standard', 'hd'] as const
type ImageQuality = (typeof imageQualities)[number]

const shares = { low: 0.5, medium: 1, high: 1.5 } as const

/** The quality in the answer. */
export function plainQuality(quality: ImageQuality): keyof typeof shares {
  if (quality === 'hd') return 'high'
  return quality === 'auto' || quality === 'standard' ? 'medium' : quality
}

/** The number of denoising steps of a quality for one model. */
export function stepsFor(quality: ImageQuality, { defaults, bounds }: ImageModelDescriptor): number {
  const most = defaults.sampler === 'LCM' ? (bounds?.lcmSteps ?? maxSteps) : maxSteps
  return Math.min(most, Math.ceil(defaults.steps * shares[plainQuality(quality)]))
}

const { prompt, negative_prompt, seed, steps, cfg_scale, sampler, style_preset } = imageFields

/** The fields of every OpenAI route that draws. */
export const commonImageOptions = optional({
  model: Type.String({ minLength: 1, description: 'An installed image model; the default one when left out.' }),
  n: integerField(1, 16, 'Images to draw.', 1),
  size: Type.String({
    pattern: '^(auto|[1-9][0-9]{1,3}x[1-9][0-9]{1,3})$',
    default: 'auto',
    description: "Width x height; auto is the model's own size or, with an input image, the closest of its sizes.",
  }),
  response_format: Type.Enum(['b64_json', 'url'], {
    default: 'b64_json',
    description: '`url` returns signed links that need no token and work for 24 hours; not together with `stream`.',
  }),
  user: Type.String({ description: 'Your identifier of the end user; accepted for compatibility, not stored.' }),
})

/** Additional fields of the route that draws from a prompt. */
export const drawingOptions = {
  prompt,
  ...optional({
    quality: choiceField(
      imageQualities,
      "Number of steps: low is half the model's default, high or hd one and a half times; not together with `steps`.",
      'auto',
    ),
    background: choiceField(['auto', 'opaque'], 'Images are opaque.', 'auto'),
    moderation: choiceField(['auto'], "Accepted; the model's own safety checker decides, if it has one.", 'auto'),
    output_format: choiceField(imageEncodings, 'File format of the images.', 'png'),
    output_compression: integerField(0, 100, 'Quality of a JPEG or WebP, up to 100; PNG is lossless. 95 by default.'),
    stream: flagField('Whether the answer comes as server-sent events.', false),
    partial_images: integerField(0, 3, 'Number of small JPEG previews; needs `stream`.', 0),
    safety_identifier: Type.String({ description: 'Accepted for compatibility, not kept.' }),
  }),
  ...{ negative_prompt, seed, steps, cfg_scale, sampler, style_preset },
}

/** The defaults of all of them. */
export const imageOptionDefaults = defaultsOf({ ...commonImageOptions, ...drawingOptions })

/** OpenAI's fields that no engine supports. */
export const unsupportedImageOptions = {
  style: unsupportedField(),
  complexity: unsupportedField(),
  frame_count: unsupportedField(),
  frame_duration_ms: unsupportedField(),
  svg: unsupportedField(),
}

/** The body of POST /v1/images/generations: OpenAI's fields, and some of Sepia's. */
export const openAiImageSchema = closed({ ...commonImageOptions, ...drawingOptions, ...unsupportedImageOptions })

/** A well-formed body of any of the routes. */
export type ImageOptions = Partial<Static<typeof openAiImageSchema>>
