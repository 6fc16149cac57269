import { ServiceError } from './error.ts'
import type { ModelDescriptor } from './model.ts'
import type { ModelCatalog } from './ports/model-catalog.ts'
import { shortName } from './requests/short-name.ts'
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
