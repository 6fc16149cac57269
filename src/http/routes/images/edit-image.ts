import type { FastifyInstance } from 'fastify'
import { receivedForm } from '../../body/form/received-form.ts'
import { callerOf, requireScope } from '../../caller.ts'
import { clientSignal } from '../../client-signal.ts'
import type { RouteDependencies } from '../../http-dependencies.ts'
import type { HttpSettings } from '../../http-settings.ts'
import type { InspectImage } from '../../wire/images/decode-image.ts'
import { parseImageEdit, parseImageVariation } from '../../wire/images/openai/edit-request.ts'
import { answerImages } from './answer-images.ts'

const routes = [
  { path: '/v1/images/edits', parse: parseImageEdit },
  { path: '/v1/images/variations', parse: parseImageVariation },
] as const

/** POST /v1/images/edits and /v1/images/variations: OpenAI's forms over the same engine. */
export function registerEditImage(api: FastifyInstance, deps: RouteDependencies, settings: HttpSettings): void {
  for (const { path, parse } of routes)
    api.post(path, { config: { spends: 'images', form: 'memory' } }, async (incoming, reply) => {
      const caller = callerOf(incoming)
      requireScope(caller, ['image'])
      const inspectImage: InspectImage = (bytes, options) => deps.inspectImage(bytes, { ...options, account: caller.accountId })
      const parsing = { catalog: deps.assets.library.catalogFor(caller.accountId), inspectImage, mostPixels: settings.imagePixels }
      const images = await parse(parsing, await receivedForm(incoming).collect(), { signal: clientSignal(reply) })
      return answerImages(deps, settings, { incoming, reply, images, name: 'image_edit' })
    })
}
