import { createHash } from 'node:crypto'
import Type, { type Static } from 'typebox'
import { ServiceError } from '../../../core/error.ts'
import type { TextModelDescriptor } from '../../../core/model.ts'
import type { ListedModel } from '../../../operations/list-models.ts'
import { createBodyChecker } from '../../faults/body-checker.ts'
import { closed, optional } from '../../faults/object-schema.ts'
import { fieldFault, refuseFaults, textFaultCodes } from '../../faults/refuse-faults.ts'
import type { Answer } from '../answer.ts'
import { ignoredFields } from '../ignored-fields.ts'

/** The version of Ollama that this interface follows. Clients refuse servers that are too old for their requests. */
export const ollamaVersion = '0.13.0'

const detailsSchema = Type.Object({
  parent_model: Type.String(),
  format: Type.String({ description: '`gguf`, or empty for models that run on another server.' }),
  family: Type.String(),
  families: Type.Array(Type.String()),
  parameter_size: Type.String({ description: 'Such as 8.0B; empty where it is not known.' }),
  quantization_level: Type.String({ description: 'Such as Q4_K; empty where it is not known.' }),
})

const modelFields = {
  name: Type.String(),
  model: Type.String({ description: 'The same.' }),
  size: Type.Integer({ description: 'Bytes of its files.' }),
  digest: Type.String({ description: 'Changes with its files, in hexadecimal.' }),
  details: detailsSchema,
}

/** Answer of GET /api/tags. */
export const ollamaTagsSchema = Type.Object({
  models: Type.Array(Type.Object({ ...modelFields, modified_at: Type.String() })),
})

/** Answer of GET /api/ps. */
export const ollamaLoadedSchema = Type.Object({
  models: Type.Array(
    Type.Object({
      ...modelFields,
      expires_at: Type.String({ description: 'A time far in the future: the service unloads models by use.' }),
      size_vram: Type.Integer({ description: 'Bytes on a graphics card.' }),
      context_length: Type.Integer({ description: 'Tokens; 0 = not known.' }),
    }),
  ),
})

/** Answer of POST /api/show. */
export const ollamaShownSchema = Type.Object({
  modelfile: Type.String(),
  parameters: Type.String({ description: 'The sampling defaults, one per line.' }),
  template: Type.String({ description: "Empty: the template is the model file's own." }),
  license: Type.Optional(Type.String()),
  details: detailsSchema,
  model_info: Type.Object({}, { description: "Keys of the model file's header, as far as they are known." }),
  capabilities: Type.Array(Type.String({ description: 'completion, tools, vision, embedding.' })),
  modified_at: Type.String(),
})

/** The body of POST /api/show, POST /api/pull and DELETE /api/delete: a model by either of its names. */
export const ollamaNameSchema = closed({
  ...optional({
    model: Type.String({ minLength: 1, maxLength: 2000, description: 'The model.' }),
    name: Type.String({ minLength: 1, maxLength: 2000, description: 'The older name for `model`.' }),
    stream: Type.Boolean({ default: true, description: 'Only for a pull: whether it reports its progress in lines.' }),
  }),
  ...ignoredFields('verbose', 'options', 'insecure'),
})

const nameChecker = createBodyChecker(ollamaNameSchema)

/**
 * Reads the requested model.
 *
 * @throws {ServiceError} naming every fault at once.
 */
export function parseOllamaName(received: unknown): { readonly model: string; readonly stream: boolean } {
  const { name, model = name, stream = true } = nameChecker.parse(received, textFaultCodes)
  if (model !== undefined) return { model, stream }
  refuseFaults([fieldFault('model', 'is required: name a model.', 'missing')], textFaultCodes)
  throw new ServiceError('invalid_request_error', '`model` is required: name a model.', { param: 'model' })
}

/** Answer of GET /api/tags. */
export function encodeTags(models: readonly ListedModel[]): Static<typeof ollamaTagsSchema> {
  return { models: textModels(models).map(({ descriptor }) => ({ ...encodeFields(descriptor), modified_at: modifiedAt(descriptor) })) }
}

/** Answer of GET /api/ps: the loaded models. */
export function encodeLoaded(models: readonly ListedModel[]): Static<typeof ollamaLoadedSchema> {
  const loaded = textModels(models).filter(({ state }) => state?.state === 'loaded')
  return {
    models: loaded.map(({ descriptor, state, contextLength }) => ({
      ...encodeFields(descriptor),
      expires_at: '2318-04-04T00:00:00.000Z',
      size_vram: state?.device === undefined || state.device.backend === 'cpu' ? 0 : descriptor.bytes,
      context_length: contextLength ?? 0,
    })),
  }
}

/** Answer of POST /api/show. */
export function encodeShown(descriptor: TextModelDescriptor, contextLength: number | null): Answer<typeof ollamaShownSchema> {
  const { weights, license, embeddings, generates = true, vision = false, defaults = {} } = descriptor
  const architecture = weights?.architecture
  const parameters = [
    ['temperature', defaults.temperature],
    ['top_p', defaults.topP],
    ['top_k', defaults.topK],
    ['min_p', defaults.minP],
    ['repeat_penalty', defaults.repetitionPenalty],
  ].flatMap(([name, value]) => (value === undefined ? [] : [`${name} ${value}`]))
  return {
    modelfile: `FROM ${descriptor.id}`,
    parameters: parameters.join('\n'),
    template: '',
    license: license ?? undefined,
    details: encodeDetails(descriptor),
    model_info: {
      ...(architecture !== undefined && {
        'general.architecture': architecture,
        'general.parameter_count': weights?.parameters,
        [`${architecture}.block_count`]: weights?.layers,
      }),
      ...(contextLength !== null && { [`${architecture ?? 'general'}.context_length`]: contextLength }),
    },
    capabilities: [...(generates ? ['completion', 'tools'] : []), ...(vision ? ['vision'] : []), ...(embeddings ? ['embedding'] : [])],
    modified_at: modifiedAt(descriptor),
  }
}

function textModels(models: readonly ListedModel[]): readonly (ListedModel & { readonly descriptor: TextModelDescriptor })[] {
  return models.flatMap(({ descriptor, ...model }) =>
    descriptor.kind === 'text' && descriptor.hidden === undefined ? [{ ...model, descriptor }] : [],
  )
}

function encodeFields(descriptor: TextModelDescriptor): Static<TFields> {
  const { id, bytes, created } = descriptor
  const digest = createHash('sha256').update(`${id}\n${bytes}\n${created}`).digest('hex')
  return { name: id, model: id, size: bytes, digest, details: encodeDetails(descriptor) }
}

const fieldsSchema = Type.Object(modelFields)
type TFields = typeof fieldsSchema

function encodeDetails({ weights, format }: TextModelDescriptor): Static<typeof detailsSchema> {
  const family = weights?.architecture ?? ''
  return {
    parent_model: '',
    format: format === 'gguf' ? 'gguf' : '',
    family,
    families: family === '' ? [] : [family],
    parameter_size: weights === undefined ? '' : printParameters(weights.parameters),
    quantization_level: weights?.quantization ?? '',
  }
}

function printParameters(count: number): string {
  return count >= 1e9 ? `${(count / 1e9).toFixed(1)}B` : `${(count / 1e6).toFixed(2)}M`
}

function modifiedAt({ created }: TextModelDescriptor): string {
  return new Date(created * 1000).toISOString()
}
