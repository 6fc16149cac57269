import { ServiceError } from './error.ts'
import type { ModelDescriptor } from './model.ts'
import type { ModelCatalog } from './ports/model-catalog.ts'
import { shortName } from './requests/request-record.ts'
import { didYouMean } from './text/nearest-name.ts'

/**
 * The model of this name and, where given, of this kind.
 *
 * @throws {ServiceError} `model_not_found`, listing the names that exist.
 */
export function findDescriptor(catalog: ModelCatalog, modelId: string, kind?: ModelDescriptor['kind']): ModelDescriptor {
  const descriptor = catalog.find(modelId)
  if (descriptor !== undefined && (kind === undefined || descriptor.kind === kind)) return descriptor
  throw makeNotFoundError(catalog, modelId, kind)
}

/** The models that lists and defaults show: all but the hidden ones. */
export function listedModels(catalog: Pick<ModelCatalog, 'list'>): readonly ModelDescriptor[] {
  return catalog.list().filter(({ hidden = false }) => !hidden)
}

/** The error of who asks for a model that is not there, or no longer. */
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

/** Further names of models, each with the id that it stands for. */
export type ModelAliases = Readonly<Record<string, string>>

/**
 * The id of the model that a request means: an id itself, an alias of the settings or of a `model.json`, or Ollama's `name:tag`. That is
 * `name`, which may be an alias, for `name:latest`, `name-tag`, or the only text model whose id begins with the name and has the words of the tag. A name that nothing
 * fits is returned as it is.
 */
export function resolveModelName(catalog: Pick<ModelCatalog, 'find' | 'list'>, given: string, aliases: ModelAliases = {}): string {
  if (catalog.find(given) !== undefined) return given
  const aliasOf = (name: string): string | undefined =>
    Object.hasOwn(aliases, name) ? aliases[name] : catalog.list().find((model) => model.aliases?.includes(name) === true)?.id
  return aliasOf(given) ?? findTagged(catalog, given) ?? aliasOf(given.replace(/:latest$/i, '')) ?? given
}

/** A body whose `model` is the id of the model that it names. */
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

/** Every alias of a model that exists, with the model. */
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
