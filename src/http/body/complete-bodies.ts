import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ServiceError } from '../../core/error.ts'
import { listedModels, resolveModelName, withModelId } from '../../core/find-descriptor.ts'
import { isRecord } from '../../core/json-value.ts'
import type { TextModelDescriptor } from '../../core/model.ts'
import type { ModelCatalog } from '../../core/ports/model-catalog.ts'
import { callerOf } from '../caller.ts'
import type { RouteDependencies } from '../http-dependencies.ts'
import type { HttpSettings } from '../http-settings.ts'
import { nameOf } from '../wire/a1111/controlnet-units.ts'
import { findAddresses, PictureFetcher } from './fetch-pictures.ts'
import { isReceived } from './read-body.ts'

type Settings = Pick<HttpSettings, 'models'>
type Body = Readonly<Record<string, unknown>>

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * Whether a body without a text model is refused where no setting names one, or its handler chooses one, or whether it names a model that
     * embeds or one that draws; absent = it names none.
     */
    readonly model?: 'named' | 'chosen' | 'embedding' | 'drawing' | undefined
  }
}

/** Reports that another model replaces the requested one. */
const header = 'x-service-warning'

/** Completes bodies for their handlers: with an installed model, and with pictures in the place of web addresses. */
export function completeBodies(api: FastifyInstance, deps: RouteDependencies, settings: Settings): void {
  const pictures = new PictureFetcher(deps)
  api.addHook('preHandler', async (request, reply) => {
    const { body: given } = request
    if (!isReceived(given) || !isRecord(given.value)) return
    const value = withInstalledModel(deps, settings, { request, reply, body: given.value })
    const received = value === given.value ? given : { ...given, value }
    request.body = received
    const { model } = request.routeOptions.config
    if (model === undefined || model === 'drawing') return
    const addresses = findAddresses(value)
    if (addresses.size > 0) await pictures.fetch({ request, reply, received }, addresses)
  })
}

/**
 * A body with its aliases and Ollama's `name:tag` resolved to ids. Where it names no model or one that is not installed, it gets the default
 * model from the settings, and a header reports a replacement. Without a default, a missing text model is refused with the names of the
 * installed ones.
 */
export function withInstalledModel(
  deps: RouteDependencies,
  { models: { defaults, aliases } }: Settings,
  { request, reply, body: given }: { readonly request: FastifyRequest; readonly reply: FastifyReply; readonly body: Body },
): Body {
  const { config } = request.routeOptions
  const body = withModelId(deps.catalog, given, aliases)
  if (config.model === undefined) return body
  if (config.model === 'drawing') {
    if (defaults.image === null) return body
    const catalog = deps.assets.library.catalogFor(callerOf(request).accountId)
    const known = withoutUnknown(body, (name) => !isKnown(catalog, resolveModelName(catalog, name, aliases)))
    if (known !== body) reply.header(header, 'The model is not installed; the default image model draws instead.')
    return known
  }
  const { model = null } = body
  if (config.model === 'embedding') {
    if (model === null) throw missing(deps.catalog, ({ embeddings }) => embeddings)
    return body
  }
  const filled = fillText(deps, { model, standard: defaults.text, isOptional: config.model === 'chosen', reply })
  return filled === null ? body : { ...body, model: filled }
}

function fillText(
  { catalog }: Pick<RouteDependencies, 'catalog'>,
  { model, standard, isOptional, reply }: { model: unknown; standard: string | null; isOptional: boolean; reply: FastifyReply },
): string | null {
  if (model === null) {
    if (standard !== null || isOptional) return standard
    throw missing(catalog, ({ generates }) => generates !== false)
  }
  if (standard === null || typeof model !== 'string' || isKnown(catalog, model)) return null
  reply.header(header, `The model is not installed; ${standard} answers instead.`)
  return standard
}

/** The error for a body without a model, with the installed ones that would do. */
function missing(catalog: ModelCatalog, does: (model: TextModelDescriptor) => boolean): ServiceError {
  const names = listedModels(catalog).flatMap((model) => (model.kind === 'text' && does(model) ? [model.id] : []))
  const known = names.length === 0 ? 'none is installed' : `use one of: ${names.join(', ')}`
  return new ServiceError('invalid_request_error', `\`model\` is required; ${known}.`, { param: 'model' })
}

/** Removes the names of models that are not installed from a drawing's body: `model`, or A1111's setting. */
function withoutUnknown(body: Body, isUnknown: (name: string) => boolean): Body {
  const { model, ...rest } = body
  if (typeof model === 'string') return isUnknown(model) ? rest : body
  const { override_settings: settings } = rest
  if (!isRecord(settings)) return body
  const { sd_model_checkpoint: title, ...others } = settings
  return typeof title === 'string' && title !== '' && isUnknown(nameOf(title)) ? { ...body, override_settings: others } : body
}

function isKnown(catalog: ModelCatalog, model: string): boolean {
  return catalog.find(model) !== undefined || catalog.findUnusable(model) !== undefined
}
