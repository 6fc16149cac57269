import type { TObject, TSchema } from 'typebox'
import type { Caller } from '../../../core/access-token.ts'
import { type CheckpointFamily, checkpointFamilies } from '../../../core/checkpoint/checkpoint-family.ts'
import type { DrawnWork } from '../../../core/inference.ts'
import type { Abortable } from '../../../core/waiting.ts'
import { generateImage } from '../../../operations/run-work.ts'
import { answerDeferred } from '../../answers/answer-deferred.ts'
import { sendChunks } from '../../answers/send-chunks.ts'
import { receivedBody } from '../../body/read-body.ts'
import { readImageAccept } from '../../headers/accept-header.ts'
import { readDeferredHandling, refuseDeferredHeaders } from '../../headers/deferred-headers.ts'
import type { RouteDependencies } from '../../http-dependencies.ts'
import type { HttpSettings } from '../../http-settings.ts'
import type { Call, Route } from '../../route.ts'
import { ImageChunks } from '../../wire/images/image-chunks.ts'
import type { ImageHints } from '../../wire/images/image-faults.ts'
import { freeImageRequestSchema, imageRequestSchema } from '../../wire/images/image-fields.ts'
import { type ImageParsing, parseImageRequest } from '../../wire/images/image-request.ts'
import { imageResultSchema, upscalingResultSchema } from '../../wire/images/image-result.ts'
import { parseUpscalingRequest, upscalingRequestSchema } from '../../wire/images/upscaling-request.ts'
import { deferredHeaders, modelRefusals, previewHeader, submitted, text } from '../row-parts.ts'

/** A small brown picture, 16 x 16 pixels. */
export const examplePicture =
  'iVBORw0KGgoAAAANSUhEUgAAABAAAAAQCAMAAAAoLQ9TAAAAA1BMVEV6RyB6SilWAAAACXBIWXMAAAPoAAAD6AG1e1JrAAAADUlEQVQY02NgGAXIAAABEAAB7JfjegAAAABJRU5ErkJggg=='

/** The image routes of the original service: as JSON, as the image itself, or deferred. The ControlNet addresses do the same. */
export const drawingRoutes: readonly Route[] = [
  drawingRoute('/generate/sdxl', 'Generate images with SDXL', drawsWith(['sdxl', 'sdxl-refiner'])),
  drawingRoute(
    '/generate/controlnet-sdxl',
    'Same as /generate/sdxl, at the address of OctoAI for ControlNets',
    drawsWith(['sdxl', 'sdxl-refiner']),
  ),
  drawingRoute('/generate/sd', 'Generate images with Stable Diffusion 1.5 or 2', drawsWith(['sd15', 'sd2'])),
  drawingRoute('/generate/controlnet-sd', 'Same as /generate/sd, at the address of OctoAI for ControlNets', drawsWith(['sd15', 'sd2'])),
  drawingRoute('/generate/image', 'Generate images with any installed image model', {
    ...drawsWith(checkpointFamilies),
    body: freeImageRequestSchema,
  }),
  drawingRoute('/upscaling', 'Enlarge an image', {
    body: upscalingRequestSchema,
    example: { init_image: examplePicture, scale: 2 },
    answer: upscalingResultSchema,
    parse: async (...read) => ({ work: { kind: 'enlargement', request: await parseUpscalingRequest(...read) }, logged: null }),
  }),
]

/** Parses a body into work and the prompt to log. */
type Parse = (
  parsing: ImageParsing,
  read: { readonly body: unknown; readonly hints: ImageHints; readonly maxPixels: number },
  options: Abortable,
) => Promise<{ readonly work: DrawnWork; readonly logged: string | null }>

interface Drawing extends Pick<Route, 'origin' | 'model'> {
  readonly body: TObject
  readonly example: Readonly<Record<string, unknown>>
  readonly answer: TSchema
  readonly parse: Parse
}

function drawsWith(families: readonly CheckpointFamily[]): Drawing {
  return {
    origin: 'imageUrl',
    model: 'drawing',
    body: imageRequestSchema,
    example: { prompt: 'a fox in the snow, watercolour', negative_prompt: 'blurry', seed: 7, image_encoding: 'webp' },
    answer: imageResultSchema,
    parse: async (parsing, read, options) => {
      const { request, logPrompt } = await parseImageRequest(parsing, { ...read, families }, options)
      return { work: { kind: 'image', request }, logged: logPrompt ? request.prompt : null }
    },
  }
}

function drawingRoute(path: string, summary: string, { answer, parse, ...drawing }: Drawing): Route {
  return {
    method: 'POST',
    path,
    summary,
    description: 'With `Accept: image/png`, `image/jpeg` or `image/webp`, the response is the first image itself.',
    scopes: ['image'],
    spends: 'images',
    parameters: [...deferredHeaders, previewHeader],
    ...drawing,
    answers: [
      {
        status: 200,
        description: 'The images.',
        content: { 'application/json': answer, 'image/png': text, 'image/jpeg': text, 'image/webp': text },
      },
      submitted,
    ],
    refusals: [...modelRefusals, 409, 422],
    handle: (deps, settings) => (call) => draw(deps, settings, call, parse),
  }
}

/** The models and assets of a caller, and the decoding of pictures on its account. */
export function imageParsingOf({ assets, inspectImage }: RouteDependencies, { accountId }: Caller): ImageParsing {
  return {
    catalog: assets.library.catalogFor(accountId),
    inspectImage: (bytes, inspecting) => inspectImage(bytes, { ...inspecting, account: accountId }),
  }
}

async function draw(deps: RouteDependencies, settings: HttpSettings, call: Call, parse: Parse): Promise<object> {
  const { incoming, reply, caller, options, path, onFailure } = call
  const { headers } = incoming
  const { asyncMode: mode, ...body } = receivedBody(incoming)
  if (mode === 'off') refuseDeferredHeaders(headers)
  const handling = mode === 'off' ? null : readDeferredHandling(headers, { ...settings.deferred, route: path, body: body.bytes })
  // The stored answer is always JSON, whatever the submitter accepts.
  const answer = handling === null ? readImageAccept(headers.accept) : { type: 'json' as const }
  const hints = {
    encoding: answer.type === 'image' ? answer.encoding : null,
    lonely: answer.type === 'image',
    previews: handling?.previews ?? false,
  }
  const read = () => parse(imageParsingOf(deps, caller), { body: body.value, hints, maxPixels: settings.requests.imagePixels }, options)
  const { work, logged } = await (handling === null ? read() : deps.deadline.keep(reply, read))
  if (logged !== null) deps.observer.promptLogged({ requestId: incoming.id, accountId: caller.accountId, prompt: logged })
  if (handling !== null) return answerDeferred(deps, { incoming, reply, mode }, { work, handling })
  const result = await generateImage(call.work, { caller, work }, options)
  const [first] = result.images
  if (answer.type === 'json' || first === undefined || first.removedForSafety) {
    const chunks = new ImageChunks(work, result)
    const contentType = 'application/json; charset=utf-8'
    await sendChunks({ clock: deps.clock, onFailure }, reply, { contentType, bytes: chunks.bytes, chunks })
    return reply
  }
  return reply.type(`image/${first.encoding}`).send(Buffer.from(first.bytes))
}
