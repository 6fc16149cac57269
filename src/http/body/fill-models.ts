import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ServiceError } from '../../core/error.ts'
import { listedModels, withModelId } from '../../core/find-descriptor.ts'
import { isRecord } from '../../core/json-value.ts'
import { callerOf } from '../caller.ts'
import type { RouteDependencies } from '../http-dependencies.ts'
import type { HttpSettings } from '../http-settings.ts'
import { isReceived } from './read-body.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether a body without a text model is refused where no setting names one, or its handler chooses one; absent = it names none. */
    readonly model?: 'named' | 'chosen'
  }
}

/** What says in an answer that another model stands in for the one that was named. */
const header = 'x-service-warning'

/**
 * Puts ids in the place of aliases and of Ollama's `name:tag`, and the model that a setting names for it into bodies that leave their model out or name one that is not installed; the answer to the
 * latter says so. Where no setting does, a missing text model is refused with the names of those that are installed.
 */
export function fillModels(
  api: FastifyInstance,
  deps: RouteDependencies,
  { defaultModels, modelAliases }: Pick<HttpSettings, 'defaultModels' | 'modelAliases'>,
): void {
  api.addHook('preHandler', async (request, reply) => {
    const { body: received } = request
    const { config } = request.routeOptions
    if (!isReceived(received) || !isRecord(received.value)) return
    const value = withModelId(deps.catalog, received.value, modelAliases)
    const { model = null } = value
    if (value !== received.value) request.body = { ...received, value }
    if (config.model !== undefined) {
      const filled = fillText(deps, { model, standard: defaultModels.text, isOptional: config.model === 'chosen', reply })
      if (filled !== null) request.body = { ...received, value: { ...value, model: filled } }
    } else if (config.spends === 'images' && defaultModels.image !== null && isUnknown(deps, request, model)) {
      const { model: _, ...rest } = value
      request.body = { ...received, value: rest }
      reply.header(header, 'The model is not installed; the default image model draws instead.')
    }
  })
}

function fillText(
  { catalog }: Pick<RouteDependencies, 'catalog'>,
  { model, standard, isOptional, reply }: { model: unknown; standard: string | null; isOptional: boolean; reply: FastifyReply },
): string | null {
  if (model === null) {
    if (standard !== null || isOptional) return standard
    const names = listedModels(catalog).flatMap(({ id, ...each }) => (each.kind === 'text' && each.generates !== false ? [id] : []))
    const known = names.length === 0 ? 'none is installed' : `use one of: ${names.join(', ')}`
    throw new ServiceError('invalid_request_error', `\`model\` is required; ${known}.`, { param: 'model' })
  }
  if (standard === null || typeof model !== 'string' || catalog.find(model) !== undefined || catalog.findUnusable(model) !== undefined)
    return null
  reply.header(header, `The model is not installed; ${standard} answers instead.`)
  return standard
}

function isUnknown({ assets }: Pick<RouteDependencies, 'assets'>, request: FastifyRequest, model: unknown): boolean {
  if (typeof model !== 'string') return false
  const catalog = assets.library.catalogFor(callerOf(request).accountId)
  return catalog.find(model) === undefined && catalog.findUnusable(model) === undefined
}
