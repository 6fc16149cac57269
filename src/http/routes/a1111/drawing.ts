import type { TObject } from 'typebox'
import { ServiceError } from '../../../core/error.ts'
import type { ImageProgress } from '../../../core/image-generation.ts'
import { findImageDefault } from '../../../operations/image-default.ts'
import { generateImage } from '../../../operations/run-work.ts'
import { synchronousBody } from '../../body/read-body.ts'
import type { RouteDependencies } from '../../http-dependencies.ts'
import type { HttpSettings } from '../../http-settings.ts'
import type { Call, Route } from '../../route.ts'
import { drawingAnswerSchema, encodeDrawing } from '../../wire/a1111/drawing-answer.ts'
import { img2imgSchema, txt2imgSchema } from '../../wire/a1111/drawing-fields.ts'
import { parseImg2img, parseTxt2img } from '../../wire/a1111/drawing-request.ts'
import { extraAnswerSchema, extraSchema, parseExtra } from '../../wire/a1111/extras.ts'
import { toBase64 } from '../../wire/images/image-result.ts'
import { examplePicture, imageParsingOf } from '../images/drawing.ts'
import { json, modelRefusals } from '../row-parts.ts'

const prompt = 'a fox in the snow, watercolour'

/** A1111's routes that generate and enlarge images. */
export const a1111DrawingRoutes: readonly Route[] = [
  drawingRoute('/sdapi/v1/txt2img', "Generate images, in A1111's format", txt2imgSchema, parseTxt2img, {
    prompt,
    sampler_name: 'Euler a',
    steps: 20,
  }),
  drawingRoute('/sdapi/v1/img2img', "Generate images from an image, in A1111's format", img2imgSchema, parseImg2img, {
    prompt,
    init_images: [examplePicture],
    denoising_strength: 0.6,
  }),
  {
    method: 'POST',
    path: '/sdapi/v1/extra-single-image',
    origin: 'imageUrl',
    summary: "Enlarge an image, in A1111's format",
    scopes: ['image'],
    spends: 'images',
    body: extraSchema,
    example: { image: examplePicture, upscaling_resize: 2 },
    answers: [json('The image.', extraAnswerSchema)],
    refusals: [...modelRefusals, 409, 422],
    handle: (deps, settings) => async (call) => {
      const { incoming, caller, options } = call
      const reading = { body: synchronousBody(incoming).value, maxPixels: settings.requests.imagePixels }
      const request = await parseExtra(imageParsingOf(deps, caller), reading, options)
      const work = { kind: 'enlargement', request } as const
      const enlarged = await interruptible(deps, call, 1, (running) => generateImage(call.work, { caller, work }, running))
      if (enlarged === null) throw new ServiceError('request_cancelled', 'This enlargement was interrupted; send the request again.')
      const [image] = enlarged.images
      return { html_info: '', image: image === undefined ? '' : toBase64(image.bytes) }
    },
  },
]

function drawingRoute(
  path: string,
  summary: string,
  body: TObject,
  parse: typeof parseTxt2img,
  example: Readonly<Record<string, unknown>>,
): Route {
  return {
    method: 'POST',
    path,
    origin: 'imageUrl',
    summary,
    scopes: ['image'],
    spends: 'images',
    model: 'drawing',
    body,
    example,
    answers: [json('The images.', drawingAnswerSchema)],
    refusals: [...modelRefusals, 409, 422],
    handle: (deps, settings) => (call) => draw(deps, settings, call, parse),
  }
}

async function draw(deps: RouteDependencies, settings: HttpSettings, call: Call, parse: typeof parseTxt2img): Promise<object> {
  const { incoming, caller, options } = call
  const reading = {
    body: synchronousBody(incoming).value,
    maxPixels: settings.requests.imagePixels,
    aliases: settings.models.aliases,
    chosen: await findImageDefault(deps, caller.accountId, options),
    watched: deps.drawings.isWatched(caller, deps.clock.now()),
  }
  const drawing = await parse(imageParsingOf(deps, caller), reading, options)
  const { request } = drawing
  const work = { kind: 'image', request } as const
  const run = interruptible(deps, call, request.seeds.length, (running) => generateImage(call.work, { caller, work }, running))
  // A1111's clients expect the result of an interrupted drawing, which has no images here.
  return encodeDrawing(drawing, (await run) ?? { images: [], computeMs: 0 })
}

/** Runs what /sdapi/v1/progress reports of; null = /sdapi/v1/interrupt ended it. */
async function interruptible<Result>(
  { drawings, clock }: RouteDependencies,
  { caller, options }: Call,
  images: number,
  run: (options: { readonly signal: AbortSignal; readonly onProgress: (progress: ImageProgress) => void }) => Promise<Result>,
): Promise<Result | null> {
  using drawing = drawings.begin(caller, { startedAt: clock.now(), images })
  try {
    return await run({ signal: AbortSignal.any([options.signal, drawing.signal]), onProgress: (progress) => drawing.note(progress) })
  } catch (error) {
    if (drawing.signal.aborted && !options.signal.aborted) return null
    throw error
  }
}
