import Type from 'typebox'
import type { AssetDescriptor } from '../../../core/assets/asset.ts'
import type { TextModelDescriptor } from '../../../core/model.ts'
import type { ListedModel } from '../../../operations/list-models.ts'
import type { Answer } from '../answer.ts'
import { encodeGenerationSettings, generationSettingsSchema } from './generation-settings.ts'
import { usualSampling } from './sampling.ts'

const contextTokens = Type.Integer({ minimum: 0, description: 'Tokens of prompt and answer together; 0 = not known yet.' })

/** Answer of GET /slots. */
export const slotsSchema = Type.Array(
  Type.Object({
    id: Type.Integer({ minimum: 0 }),
    n_ctx: contextTokens,
    speculative: Type.Boolean({ description: 'Whether speculative decoding is on.' }),
    is_processing: Type.Boolean(),
  }),
)

/** Answer of GET /lora-adapters. */
export const adaptersSchema = Type.Array(
  Type.Object({
    id: Type.Integer({ minimum: 0 }),
    name: Type.String(),
    path: Type.String({ description: 'The name of its file, without the path.' }),
    scale: Type.Number({ description: 'Its scale in requests that do not name it: 0.' }),
  }),
)

/** Answer of GET /props. */
export const propsSchema = Type.Object({
  default_generation_settings: Type.Object({ n_ctx: contextTokens, params: generationSettingsSchema }),
  total_slots: Type.Integer({ minimum: 1, description: 'Number of slots; 1 until the model is loaded.' }),
  model_alias: Type.String(),
  model_path: Type.String({ description: 'The name of its file, without the path.' }),
  modalities: Type.Object({ vision: Type.Boolean(), audio: Type.Boolean() }),
  build_info: Type.String(),
  is_sleeping: Type.Boolean({ description: 'Whether the model is not in memory; a request loads it.' }),
})

/** A text model in its current state. */
export type TextModel = ListedModel & { readonly descriptor: TextModelDescriptor }

/** The slots of a model; as many are reported busy as are in use. */
export function encodeSlots({ descriptor, state, contextLength }: TextModel): Answer<typeof slotsSchema> {
  return Array.from({ length: slotsOf({ state }) }, (_, id) => ({
    id,
    n_ctx: contextLength ?? 0,
    speculative: descriptor.speculative !== null,
    is_processing: id < (state?.inUse ?? 0),
  }))
}

/** The properties that llama.cpp's clients read first. */
export function encodeProps({ descriptor, state, contextLength }: TextModel): Answer<typeof propsSchema> {
  const { temperature, topK, topP, minP } = usualSampling
  const sampling = { temperature, topK, topP, minP, frequencyPenalty: 0, presencePenalty: 0, repetitionPenalty: 1, seed: -1 }
  const request = { maxTokens: -1, stop: [], choices: 1, topLogprobs: null, responseFormat: { type: 'text' } } as const
  return {
    default_generation_settings: {
      n_ctx: contextLength ?? 0,
      params: encodeGenerationSettings({ ...request, sampling: { ...sampling, logitBias: new Map() } }, true),
    },
    total_slots: slotsOf({ state }),
    model_alias: descriptor.id,
    model_path: descriptor.upstream === undefined ? fileName(descriptor.file) : '',
    modalities: { vision: descriptor.vision ?? false, audio: false },
    build_info: 'sepia',
    is_sleeping: state?.state !== 'loaded',
  }
}

/** Adapters in the order of their ids. */
export function encodeAdapters(adapters: readonly AssetDescriptor[]): Answer<typeof adaptersSchema> {
  return adapters.map(({ name, file }, id) => ({ id, name, path: fileName(file), scale: 0 }))
}

function fileName(path: string): string {
  return path.split(/[/\\]/).at(-1) ?? ''
}

function slotsOf({ state }: Pick<ListedModel, 'state'>): number {
  return Math.max(1, state?.slots ?? 1)
}
