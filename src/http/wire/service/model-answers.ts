import Type from 'typebox'
import { samplers } from '../../../core/sampler.ts'
import { optional } from '../../faults/object-schema.ts'

const size = Type.Object({ width: Type.Integer(), height: Type.Integer() })

/** A model in the models routes. */
export const modelSchema = Type.Object({
  id: Type.String(),
  alias_of: Type.Optional(Type.String({ description: 'The id of the model that this alias stands for.' })),
  object: Type.Literal('model'),
  created: Type.Integer({ description: 'Unix seconds.' }),
  owned_by: Type.String(),
  name: Type.String(),
  kind: Type.Enum(['text', 'image']),
  license: Type.Union([Type.String(), Type.Null()]),
  loaded: Type.Boolean(),
  state: Type.Enum(['unloaded', 'loading', 'loaded', 'backing-off']),
  device: Type.Union(
    [
      Type.Object({
        backend: Type.Enum(['cpu', 'cuda', 'vulkan', 'metal', 'webgpu']),
        name: Type.Union([Type.String(), Type.Null()], { description: "The driver's name; null = not reported." }),
        layers: Type.Optional(
          Type.Object({ on_device: Type.Integer(), total: Type.Integer() }, { description: 'If only part of the model fitted.' }),
        ),
      }),
      Type.Null(),
    ],
    { description: 'What the model computes on; null = not loaded, or it runs on another server.' },
  ),
  nodes: Type.Optional(Type.Integer({ description: 'In a cluster: nodes that have it in memory.' })),
  capabilities: Type.Array(Type.String()),
  ...optional({
    context_length: Type.Union([Type.Integer(), Type.Null()], {
      description: 'Text models: tokens of prompt and answer together; null = not known yet.',
    }),
    max_model_len: Type.Union([Type.Integer(), Type.Null()], { description: "vLLM's name for `context_length`." }),
    parameters: Type.Integer({ description: 'Only for text models that run here.' }),
    quantization: Type.String({ description: 'How most of its weights are stored, such as Q4_K.' }),
    meta: Type.Object(
      {
        n_vocab: Type.Integer(),
        n_ctx_train: Type.Union([Type.Integer(), Type.Null()]),
        n_params: Type.Integer(),
        size: Type.Integer({ description: 'Bytes.' }),
      },
      { description: "For llama.cpp's clients: data of a text model that runs here." },
    ),
    native_size: size,
    sizes: Type.Union([
      Type.Object({ type: Type.Literal('list'), sizes: Type.Array(size) }),
      Type.Object({ type: Type.Literal('range'), min: Type.Integer(), max: Type.Integer(), multiple_of: Type.Integer() }),
    ]),
    defaults: Type.Object(
      optional({
        steps: Type.Integer(),
        cfg_scale: Type.Number(),
        sampler: Type.Enum(samplers),
        temperature: Type.Number(),
        top_p: Type.Number(),
        top_k: Type.Integer(),
        min_p: Type.Number(),
        repetition_penalty: Type.Number(),
      }),
      { description: 'Defaults of these fields: the first three for image models, the others for text models.' },
    ),
  }),
})

/** A running pull. */
export const modelPullSchema = Type.Object({
  source: Type.String({ description: 'Its name on the hub, or the last part of its address.' }),
  bytes_done: Type.Integer(),
  bytes_total: Type.Union([Type.Integer(), Type.Null()], { description: 'null until the list of files has arrived.' }),
  bytes_per_second: Type.Union([Type.Integer(), Type.Null()], { description: 'Average of the last seconds; null = not known yet.' }),
  node: Type.Union([Type.String(), Type.Null()], { description: 'The machine that receives it; null = the service has only one.' }),
})

/** Answer of GET /v1/models. */
export const modelListSchema = Type.Object({
  object: Type.Literal('list'),
  data: Type.Array(modelSchema),
  pulls: Type.Optional(Type.Array(modelPullSchema, { description: 'Models being pulled; absent if there are none.' })),
})
