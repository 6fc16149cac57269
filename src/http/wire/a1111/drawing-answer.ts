import Type, { type Static } from 'typebox'
import type { ImageRequest, ImageResult } from '../../../core/image-generation.ts'
import { controlWarnings } from '../../../core/images/controlnet.ts'
import { readEmbeddedText } from '../../../core/images/embedded-text.ts'
import { isRecord } from '../../../core/json-value.ts'
import { toBase64 } from '../images/image-result.ts'
import { drawingDefaults, sentToOthers } from './drawing-fields.ts'
import type { A1111Drawing } from './drawing-request.ts'
import { solverOf } from './sampler-names.ts'

/** Answer of POST /sdapi/v1/txt2img and img2img. */
export const drawingAnswerSchema = Type.Object({
  images: Type.Array(Type.String({ description: 'A file in base64. Images removed for safety are not included.' })),
  parameters: Type.Object({}, { description: "The body that was sent, with A1111's defaults and without its images." }),
  info: Type.String({
    description:
      'JSON as a text: `seed`, `all_seeds`, `infotexts` (the parameters stored in each file), `sd_model_name`, `warnings` and the parameters of the request.',
  }),
})

/** Encodes the pictures and the parameters that A1111's clients read. */
export function encodeDrawing({ request, body }: A1111Drawing, result: ImageResult): Static<typeof drawingAnswerSchema> {
  const kept = result.images.filter(({ removedForSafety }) => !removedForSafety)
  const images = body.send_images === false ? [] : kept.map(({ bytes }) => toBase64(bytes))
  return { images, parameters: echo(body), info: JSON.stringify(describe(request, { ...result, images: kept })) }
}

function describe(request: ImageRequest, { images, warnings = [] }: ImageResult): object {
  const { prompt, negative, seeds, highResolution } = request
  const texts = images.map(({ bytes }) => readEmbeddedText(bytes) ?? '')
  const all = <Value>(value: Value) => images.map(() => value)
  return {
    prompt,
    all_prompts: all(prompt),
    negative_prompt: negative?.prompt ?? '',
    all_negative_prompts: all(negative?.prompt ?? ''),
    seed: images[0]?.seed ?? seeds[0] ?? 0,
    all_seeds: images.map(({ seed }) => seed),
    subseed: 0,
    all_subseeds: all(0),
    subseed_strength: 0,
    ...(highResolution?.first ?? { width: request.width, height: request.height }),
    sampler_name: solverOf(request.sampler),
    cfg_scale: request.guidanceScale,
    steps: request.steps,
    batch_size: seeds.length,
    restore_faces: false,
    face_restoration_model: null,
    sd_model_name: request.model,
    sd_model_hash: null,
    sd_vae_name: request.vae ?? null,
    sd_vae_hash: null,
    seed_resize_from_w: -1,
    seed_resize_from_h: -1,
    denoising_strength: (highResolution ?? request.initial)?.strength ?? null,
    extra_generation_params: {},
    index_of_first_image: 0,
    infotexts: texts,
    styles: request.stylePreset === null ? [] : [request.stylePreset],
    job_timestamp: '',
    clip_skip: request.clipSkip + 1,
    is_using_inpainting_conditioning: false,
    version: 'Sepia',
    warnings: [...controlWarnings(request.controlnets ?? []), ...warnings],
  }
}

const pictures: readonly string[] = ['image', 'input_image', 'mask']

/** The request with all defaults, without its pictures unless the client asked for them. */
function echo(body: A1111Drawing['body']): object {
  const scripts = Object.entries(body.alwayson_scripts ?? {}).map(([name, script]) => [name, withoutPictures(script)])
  const shown = Object.entries(body).filter(([name]) => !sentToOthers.some((each) => each === name))
  const whole = { ...drawingDefaults, ...Object.fromEntries(shown), alwayson_scripts: Object.fromEntries(scripts) }
  if (!('init_images' in body) || body.include_init_images === true) return whole
  return { ...whole, init_images: null, mask: null }
}

function withoutPictures(script: unknown): unknown {
  if (!isRecord(script) || !Array.isArray(script.args)) return script
  const args = script.args.map((each: unknown) =>
    isRecord(each) ? Object.fromEntries(Object.entries(each).filter(([name]) => !pictures.includes(name))) : each,
  )
  return { ...script, args }
}
