import Type from 'typebox'
import type { AssetDescriptor } from '../../../../core/assets/asset.ts'
import { type FieldFault, ServiceError } from '../../../../core/error.ts'
import { largestLoraWeight, maxLoras } from '../../../../core/images/lora.ts'
import type { TextModelDescriptor } from '../../../../core/model.ts'
import type { ModelCatalog } from '../../../../core/ports/model-catalog.ts'
import { shortName } from '../../../../core/requests/request-record.ts'
import type { AdapterUse, TextRequest } from '../../../../core/text-generation.ts'
import { type BodyOf, closed, optional } from '../../../faults/object-schema.ts'
import { fieldFault } from '../../../faults/refuse-faults.ts'

/** LoRA adapters by name, or in llama.cpp's format. */
export const adapterFields = {
  lora: Type.Optional(
    Type.Array(
      closed(
        optional({
          name: Type.String({ minLength: 1, maxLength: 256 }),
          id: Type.Integer({ minimum: 0, maximum: 2 ** 31 - 1 }),
          scale: Type.Number({ minimum: -largestLoraWeight, maximum: largestLoraWeight, default: 1 }),
        }),
      ),
      {
        maxItems: maxLoras,
        description: 'LoRA adapters: each by its `name`, or its `id` in GET /lora-adapters, and its `scale`; 0 = off.',
      },
    ),
  ),
}

type AdapterBody = BodyOf<typeof adapterFields>

/** Finds entries with neither a name nor an id, or with both. */
export function findAdapterFaults({ lora = [] }: AdapterBody): readonly FieldFault[] {
  if (lora.every(({ name, id }) => (name === undefined) !== (id === undefined))) return []
  return [fieldFault('lora', 'must have `name` or `id` in each entry, not both.')]
}

/** An adapter's number in place of its name, until the model is known. File names have no colon. */
const numbered = /^:(\d+)$/u

/** The adapters of a body; nothing when it names none. */
export function readAdapters({ lora = [] }: AdapterBody): { readonly adapters?: readonly AdapterUse[] } {
  const adapters = lora.map(({ name, id, scale = 1 }) => ({ name: name ?? `:${id}`, scale }))
  return adapters.length === 0 ? {} : { adapters }
}

/** The installed adapters that fit a model, by name; their indices are their ids. */
export function adaptersFor(
  catalog: Pick<ModelCatalog, 'listAssets'>,
  { format, weights }: TextModelDescriptor,
): readonly AssetDescriptor[] {
  if (format !== 'gguf' || weights === undefined) return []
  return catalog
    .listAssets()
    .filter(({ kind, architecture }) => kind === 'adapter' && architecture === weights.architecture)
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

/**
 * Checks that the adapters of a request are installed and fit the model, and replaces ids by names.
 *
 * @throws {ServiceError} `unsupported_parameter` naming the adapter that is missing or does not fit.
 */
export function withAdapters<Request extends Pick<TextRequest, 'adapters'>>(
  catalog: Pick<ModelCatalog, 'listAssets' | 'findAsset' | 'findUnusable'>,
  request: Request,
  model: TextModelDescriptor,
): Request {
  const { adapters, ...rest } = request
  if (adapters === undefined) return request
  if (model.format !== 'gguf') throw refusal(`must be left out; ${model.id} runs on another server.`)
  const named = adapters.map(({ name, scale }) => ({ name: findAdapter(catalog, name, model).name, scale }))
  const twice = named.find(({ name }, index) => named.findIndex((other) => other.name === name) < index)
  if (twice !== undefined) throw refusal(`names ${shortName(twice.name)} twice; name it once.`)
  return { ...(rest as Request), adapters: named.filter(({ scale }) => scale !== 0) }
}

function findAdapter(
  catalog: Pick<ModelCatalog, 'listAssets' | 'findAsset' | 'findUnusable'>,
  name: string,
  model: TextModelDescriptor,
): AssetDescriptor {
  const fitting = adaptersFor(catalog, model)
  const number = numbered.exec(name)?.[1]
  const found = number === undefined ? catalog.findAsset('adapter', name) : fitting[Number(number)]
  const shown = number === undefined ? shortName(name) : `id ${number}`
  const unusable = found === undefined ? catalog.findUnusable(name) : undefined
  if (unusable !== undefined) throw refusal(`must name another file: ${shown} ${unusable.reason}.`)
  if (found === undefined) {
    const names = fitting.length === 0 ? 'none is installed' : `installed are: ${fitting.map((each) => each.name).join(', ')}`
    throw refusal(`names ${shown}, which is not an adapter for ${model.id}; ${names}.`)
  }
  if (model.weights !== undefined && found.architecture !== model.weights.architecture)
    throw refusal(`names ${shown}, which is for ${found.architecture} models; ${model.id} is a ${model.weights.architecture} model.`)
  return found
}

function refusal(text: string): ServiceError {
  return new ServiceError('unsupported_parameter', `\`lora\` ${text}`, { param: 'lora' })
}
