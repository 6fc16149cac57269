import { ServiceError } from '../core/error.ts'
import type { TextModelDescriptor } from '../core/model.ts'
import type { ModelCatalog } from '../core/ports/model-catalog.ts'
import { shortName } from './wire/faults/short-name.ts'

/** @throws {ServiceError} `model_not_found`, with the names that exist, unless the catalog has such a text model; then that. */
export function requireTextModel(catalog: ModelCatalog, id: string): TextModelDescriptor {
  const model = catalog.find(id)
  if (model?.kind === 'text') return model
  const names = catalog.list().filter(({ kind }) => kind === 'text')
  const known = names.length === 0 ? 'none is installed' : `use one of: ${names.map((model) => model.id).join(', ')}`
  throw new ServiceError('model_not_found', `There is no text model named ${JSON.stringify(shortName(id))}; ${known}.`, { param: 'model' })
}
