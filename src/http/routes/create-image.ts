import type { FastifyInstance } from 'fastify'
import { generateImage } from '../../operations/generate-image.ts'
import { synchronousBody } from '../body/read-body.ts'
import { callerOf, requireScope } from '../caller.ts'
import { clientSignal } from '../client-signal.ts'
import type { HttpDependencies } from '../http-dependencies.ts'
import type { HttpSettings } from '../http-settings.ts'
import { interactiveWork } from '../interactive-work.ts'
import { parseOpenAiImageRequest } from '../wire/images/openai-image-request.ts'
import { encodeOpenAiImages } from '../wire/images/openai-images.ts'

/** POST /v1/images/generations: OpenAI's shape over the same engine. */
export function registerCreateImage(api: FastifyInstance, deps: HttpDependencies, settings: HttpSettings): void {
  api.post('/v1/images/generations', { config: { spends: 'images' } }, async (incoming, reply) => {
    const caller = callerOf(incoming)
    requireScope(caller, ['image'])
    const request = parseOpenAiImageRequest(deps.catalog, synchronousBody(incoming).value, settings.imagePixels)
    const result = await generateImage(interactiveWork(deps, settings, incoming), { caller, request }, { signal: clientSignal(reply) })
    return encodeOpenAiImages(deps.clock, request, result)
  })
}
