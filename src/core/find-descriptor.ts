import { ServiceError } from './error.ts'
import type { ModelDescriptor } from './model.ts'
import type { ModelCatalog } from './ports/model-catalog.ts'
import { shortName } from './requests/request-record.ts'
import { didYouMean } from './text/nearest-name.ts'

/**
 * Finds a model by name and optionally by kind.
 *
 * @throws {ServiceError} `model_not_found`, listing the existing names.
 */
export function findDescriptor(catalog: ModelCatalog, modelId: string, kind?: ModelDescriptor['kind']): ModelDescriptor {
  const descriptor = catalog.find(modelId)
  if (descriptor !== undefined && (kind === undefined || descriptor.kind === kind)) return descriptor
  throw makeNotFoundError(catalog, modelId, kind)
}

/** The models shown in lists and used as defaults: all except hidden ones. */
export function listedModels(catalog: Pick<ModelCatalog, 'list'>): readonly ModelDescriptor[] {
  return catalog.list().filter(({ hidden = false }) => !hidden)
}

/** The error for a model that does not exist or was removed. */
export function makeNotFoundError(catalog: ModelCatalog, modelId: string, kind?: ModelDescriptor['kind']): ServiceError {
  const names = listedModels(catalog).flatMap((model) => (kind === undefined || model.kind === kind ? [model.id] : []))
  const kindWord = kind === undefined ? '' : `${kind} `
  const choices = names.length === 0 ? `there is no ${kindWord}model` : `use one of ${names.join(', ')}`
  return new ServiceError(
    'model_not_found',
    `The ${kindWord}model ${JSON.stringify(shortName(modelId))} does not exist; ${choices}.${didYouMean(modelId, names)}`,
    {
      param: 'model',
    },
  )
}

/** Alternative model names, each with the id of its model. */
export type ModelAliases = Readonly<Record<string, string>>

/**
 * Resolves the model name of a request to an id. The name may be an id, an alias from the settings or a `model.json`, or Ollama's
 * `name:tag`. The latter matches `name` (an id or alias) for `name:latest`, then `name-tag`, then the only text model whose id begins with
 * the name and contains the words of the tag. A name without a match is returned unchanged.
 */
export function resolveModelName(catalog: Pick<ModelCatalog, 'find' | 'list'>, given: string, aliases: ModelAliases = {}): string {
  if (catalog.find(given) !== undefined) return given
  const aliasOf = (name: string): string | undefined =>
    Object.hasOwn(aliases, name) ? aliases[name] : catalog.list().find((model) => model.aliases?.includes(name) === true)?.id
  return aliasOf(given) ?? findTagged(catalog, given) ?? aliasOf(given.replace(/:latest$/i, '')) ?? given
}

/** The body with its `model` replaced by the resolved id. */
export function withModelId(
  catalog: Pick<ModelCatalog, 'find' | 'list'>,
  body: Readonly<Record<string, unknown>>,
  aliases?: ModelAliases,
): Readonly<Record<string, unknown>> {
  const { model } = body
  if (typeof model !== 'string') return body
  const id = resolveModelName(catalog, model, aliases)
  return id === model ? body : { ...body, model: id }
}

/** All aliases of existing models, with their models. */
export function listAliases(
  catalog: Pick<ModelCatalog, 'find' | 'list'>,
  aliases: ModelAliases = {},
): ReadonlyMap<string, ModelDescriptor> {
  const found = new Map<string, ModelDescriptor>()
  const add = (alias: string, model: ModelDescriptor | undefined): void => {
    if (model !== undefined && catalog.find(alias) === undefined && !found.has(alias)) found.set(alias, model)
  }
  for (const [alias, id] of Object.entries(aliases)) add(alias, catalog.find(id))
  for (const model of listedModels(catalog)) for (const alias of model.aliases ?? []) add(alias, model)
  return found
}

function findTagged(catalog: Pick<ModelCatalog, 'find' | 'list'>, given: string): string | undefined {
  const [, name, tag] = /^([^:]+):([^:]+)$/.exec(given.toLowerCase()) ?? []
  if (name === undefined || tag === undefined) return undefined
  const spelled = tag === 'latest' ? name : `${name}-${tag}`
  if (catalog.find(spelled) !== undefined) return spelled
  if (tag === 'latest') return undefined
  const words = tag.split('-')
  const fitting = listedModels(catalog).filter(({ id, kind }) => {
    const own = id.split('/').at(-1) ?? id
    return kind === 'text' && own.startsWith(name) && words.every((word) => own.split(/[-:_]/).includes(word))
  })
  return fitting.length === 1 ? fitting[0]?.id : undefined
}
