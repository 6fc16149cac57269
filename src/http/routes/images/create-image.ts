import type { FastifyInstance } from 'fastify'
import { synchronousBody } from '../../body/read-body.ts'
import { callerOf, requireScope } from '../../caller.ts'
import type { RouteDependencies } from '../../http-dependencies.ts'
import type { HttpSettings } from '../../http-settings.ts'
import { parseOpenAiImageRequest } from '../../wire/images/openai/image-request.ts'
import { answerImages } from './answer-images.ts'

/** POST /v1/images/generations: OpenAI's shape over the same engine. */
export function registerCreateImage(api: FastifyInstance, deps: RouteDependencies, settings: HttpSettings): void {
  api.post('/v1/images/generations', { config: { spends: 'images' } }, async (incoming, reply) => {
    const caller = callerOf(incoming)
    requireScope(caller, ['image'])
    const images = parseOpenAiImageRequest(
      deps.assets.library.catalogFor(caller.accountId),
      synchronousBody(incoming).value,
      settings.imagePixels,
    )
    return answerImages(deps, settings, { incoming, reply, images, name: 'image_generation' })
  })
}
