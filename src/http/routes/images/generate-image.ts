import type { FastifyInstance } from 'fastify'
import { type CheckpointFamily, checkpointFamilies } from '../../../core/checkpoint/checkpoint-family.ts'
import type { ImageRequest } from '../../../core/image-generation.ts'
import { generateImage } from '../../../operations/generate-image.ts'
import { answerDeferred } from '../../answers/answer-deferred.ts'
import { sendChunks } from '../../answers/send-chunks.ts'
import { receivedBody } from '../../body/read-body.ts'
import { callerOf, requireScope } from '../../caller.ts'
import { clientSignal } from '../../client-signal.ts'
import { readImageAccept } from '../../headers/accept-header.ts'
import { readDeferredHandling, refuseDeferredHeaders } from '../../headers/deferred-headers.ts'
import type { RouteDependencies } from '../../http-dependencies.ts'
import type { HttpSettings } from '../../http-settings.ts'
import { interactiveWork } from '../../interactive-work.ts'
import type { InspectImage } from '../../wire/images/decode-image.ts'
import { ImageChunks } from '../../wire/images/image-chunks.ts'
import type { ImageHints } from '../../wire/images/image-faults.ts'
import { type ImageParsing, parseImageRequest } from '../../wire/images/image-request.ts'
import { parseUpscalingRequest } from '../../wire/images/upscaling-request.ts'

/** Makes a request of a body. */
type Parse = (
  parsing: ImageParsing,
  read: { readonly body: unknown; readonly hints: ImageHints; readonly mostPixels: number },
  options: { readonly signal: AbortSignal },
) => Promise<{ readonly request: ImageRequest; readonly logPrompt: boolean }>

const drawsWith =
  (...families: readonly CheckpointFamily[]): Parse =>
  (parsing, read, options) =>
    parseImageRequest(parsing, { ...read, families }, options)

/** The routes that answer with pictures. */
const routes: readonly { readonly path: string; readonly parse: Parse }[] = [
  { path: '/generate/sdxl', parse: drawsWith('sdxl', 'sdxl-refiner') },
  { path: '/generate/controlnet-sdxl', parse: drawsWith('sdxl', 'sdxl-refiner') },
  { path: '/generate/sd', parse: drawsWith('sd15', 'sd2') },
  { path: '/generate/controlnet-sd', parse: drawsWith('sd15', 'sd2') },
  { path: '/generate/image', parse: drawsWith(...checkpointFamilies) },
  { path: '/upscaling', parse: async (...read) => ({ request: await parseUpscalingRequest(...read), logPrompt: false }) },
]

/** POST /generate/sdxl, /generate/sd, their ControlNet twins, which take the same, /generate/image for every family, and /upscaling: as JSON, as the image itself, or deferred. */
export function registerGenerateImage(api: FastifyInstance, deps: RouteDependencies, settings: HttpSettings): void {
  for (const route of routes) registerRoute(api, route, { deps, settings })
}

function registerRoute(
  api: FastifyInstance,
  { path, parse }: (typeof routes)[number],
  { deps, settings }: { readonly deps: RouteDependencies; readonly settings: HttpSettings },
): void {
  api.post(path, { config: { spends: 'images' } }, async (incoming, reply) => {
    const caller = callerOf(incoming)
    requireScope(caller, ['image'])
    const { headers } = incoming
    const signal = clientSignal(reply)
    const { asyncMode: mode, ...body } = receivedBody(incoming)
    if (mode === 'off') refuseDeferredHeaders(headers)
    const handling = mode === 'off' ? null : readDeferredHandling(headers, { ...settings, route: path, body: body.bytes })
    // What is stored is always the JSON answer, whatever the submitter accepts.
    const answer = handling === null ? readImageAccept(headers.accept) : { type: 'json' as const }
    const hints = {
      encoding: answer.type === 'image' ? answer.encoding : null,
      lonely: answer.type === 'image',
      previews: handling?.previews ?? false,
    }
    const inspectImage: InspectImage = (bytes, options) => deps.inspectImage(bytes, { ...options, account: caller.accountId })
    const catalog = deps.assets.library.catalogFor(caller.accountId)
    const read = () => parse({ catalog, inspectImage }, { body: body.value, hints, mostPixels: settings.imagePixels }, { signal })
    const { request, logPrompt } = await (handling === null ? read() : deps.deadline.keep(reply, read))
    if (logPrompt) deps.observer.promptLogged({ requestId: incoming.id, accountId: caller.accountId, prompt: request.prompt })
    if (handling !== null) return answerDeferred(deps, { incoming, reply, mode }, { work: { kind: 'image', request }, handling })
    const result = await generateImage(interactiveWork(deps, settings, incoming), { caller, request }, { signal })
    const [first] = result.images
    if (answer.type === 'json' || first === undefined || first.removedForSafety) {
      const chunks = new ImageChunks(request, result)
      const contentType = 'application/json; charset=utf-8'
      const onFailure = (error: unknown) => deps.observer.faultSurvived({ requestId: incoming.id, error })
      await sendChunks({ clock: deps.clock, onFailure }, reply, { contentType, bytes: chunks.bytes, chunks })
      return reply
    }
    return reply.type(`image/${first.encoding}`).send(Buffer.from(first.bytes))
  })
}
