import Type from 'typebox'
import type { ComputeDevice } from '../../../core/compute-device.ts'
import type { ImageModelDescriptor, TextDefaults, TextModelDescriptor } from '../../../core/model.ts'
import { type PlacedPull, withoutAddress } from '../../../core/model-pull.ts'
import type { ListedModel } from '../../../operations/list-models.ts'
import { createBodyChecker } from '../../faults/body-checker.ts'
import { closed } from '../../faults/object-schema.ts'
import { textFaultCodes } from '../../faults/refuse-faults.ts'
import type { Answer } from '../answer.ts'
import type { modelPullSchema, modelSchema } from './model-answers.ts'

type ShownModel = Answer<typeof modelSchema>

/** Encodes a model: OpenAI's four fields, then Sepia's. */
export function encodeModel({ descriptor, state, contextLength }: ListedModel): ShownModel {
  return {
    id: descriptor.id,
    object: 'model',
    created: descriptor.created,
    owned_by: 'sepia',
    name: descriptor.name,
    kind: descriptor.kind,
    license: descriptor.license,
    loaded: state?.state === 'loaded',
    state: state?.state ?? 'unloaded',
    device: encodeDevice(state?.device),
    nodes: state?.nodes,
    ...(descriptor.kind === 'text' ? encodeText(descriptor, contextLength) : encodeImage(descriptor)),
  }
}

/** The device of a loaded model; null when it is not loaded, or runs on another server. */
function encodeDevice(device: ComputeDevice | undefined): ShownModel['device'] {
  if (device === undefined) return null
  const { backend, name, layers } = device
  return { backend, name, layers: layers && { on_device: layers.onDevice, total: layers.total } }
}

function encodeText(
  { embeddings, generates = true, ranks = false, weights, trainedLength, bytes, defaults }: TextModelDescriptor,
  contextLength: number | null,
): Pick<ShownModel, 'capabilities' | 'context_length' | 'max_model_len' | 'defaults' | 'parameters' | 'quantization' | 'meta'> {
  return {
    capabilities: [...(generates ? ['chat', 'completions'] : []), ...(embeddings ? ['embeddings'] : []), ...(ranks ? ['rerank'] : [])],
    context_length: contextLength,
    max_model_len: contextLength,
    defaults: defaults && encodeDefaults(defaults),
    parameters: weights?.parameters,
    quantization: weights?.quantization,
    meta: weights && { n_vocab: weights.vocabularySize, n_ctx_train: trainedLength ?? null, n_params: weights.parameters, size: bytes },
  }
}

function encodeDefaults({ temperature, topP, topK, minP, repetitionPenalty }: TextDefaults): NonNullable<ShownModel['defaults']> {
  return { temperature, top_p: topP, top_k: topK, min_p: minP, repetition_penalty: repetitionPenalty }
}

function encodeImage({
  native,
  sizes,
  defaults,
  refiner,
  upscaler,
}: ImageModelDescriptor): Pick<ShownModel, 'capabilities' | 'native_size' | 'sizes' | 'defaults'> {
  if (upscaler !== undefined) return { capabilities: ['upscaling'] }
  return {
    capabilities: ['images', ...(refiner === null ? [] : ['refiner'])],
    native_size: native,
    sizes: sizes.type === 'list' ? { type: 'list', sizes: sizes.sizes } : { type: 'range', min: sizes.min, max: sizes.max, multiple_of: 8 },
    defaults: { steps: defaults.steps, cfg_scale: defaults.guidanceScale, sampler: defaults.sampler },
  }
}

/** Body of POST /models/load and /models/unload. */
export const modelChoiceSchema = closed({
  model: Type.String({ minLength: 1, maxLength: 200, description: 'An installed model, see /v1/models.' }),
})

const checker = createBodyChecker(modelChoiceSchema)

/**
 * The model that a body names.
 *
 * @throws {ServiceError} naming every fault.
 */
export function parseModelChoice(received: unknown): string {
  return checker.parse(received, textFaultCodes).model
}

/** Running pulls for the list of models; the field is absent when there are none. */
export function encodePulls(pulls: readonly PlacedPull[]): { readonly pulls?: readonly Answer<typeof modelPullSchema>[] } {
  const running = pulls.filter(({ state }) => state === 'pulling').map(withoutAddress)
  if (running.length === 0) return {}
  return {
    pulls: running.map(({ source, bytesDone, bytesTotal, bytesPerSecond, node }) => ({
      source,
      bytes_done: bytesDone,
      bytes_total: bytesTotal === 0 ? null : bytesTotal,
      bytes_per_second: bytesPerSecond === null ? null : Math.round(bytesPerSecond),
      node,
    })),
  }
}
