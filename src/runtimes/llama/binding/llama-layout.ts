import koffi, { type TypeObject } from 'koffi'

/**
 * Result of `llama_version` in the packages `@node-llama-cpp/…` of the version in package.json; this file matches its `llama.h` and
 * `ggml.h`.
 */
export const llamaVersion = '0.5.0-dev'

/** An address in native memory. */
export type Pointer = bigint

/** Placement of weights in use (`llama_load_mode`). */
export const loadModes = { automatic: -1, copied: 0, mapped: 1 } as const
/** `ggml_type` of caches. */
export const cacheTypeNumbers = { f16: 1, q8_0: 8 } as const
/** `llama_pooling_type` that scores pairs of texts. */
export const rankPooling = 4
/** `ggml_backend_dev_type` of devices that are no processor. */
export const gpuDeviceTypes: readonly number[] = [1, 2]
/** `ggml_log_level`. */
export const errorLevel = 4
/** Bytes of a `ggml_tensor`. */
export const tensorBytes = 336

export interface ModelParams {
  readonly devices: Pointer | null
  readonly tensor_buft_overrides: Pointer | null
  readonly n_gpu_layers: number
  readonly split_mode: number
  readonly load_mode: number
  readonly lazy_mode: number
  readonly main_gpu: number
  readonly tensor_split: Pointer | null
  readonly progress_callback: Pointer | null
  readonly progress_callback_user_data: Pointer | null
  readonly kv_overrides: Pointer | null
  readonly vocab_only: boolean
  readonly check_tensors: boolean
  readonly use_extra_bufts: boolean
  readonly no_host: boolean
  readonly no_alloc: boolean
  readonly load_mtp: boolean
}

export interface ContextParams {
  readonly n_ctx: number
  readonly n_batch: number
  readonly n_ubatch: number
  readonly n_seq_max: number
  readonly n_rs_seq: number
  readonly n_outputs_max: number
  readonly n_outputs_max_per_seq: number
  readonly n_threads: number
  readonly n_threads_batch: number
  readonly ctx_type: number
  readonly rope_scaling_type: number
  readonly pooling_type: number
  readonly attention_type: number
  readonly flash_attn_type: number
  readonly rope_freq_base: number
  readonly rope_freq_scale: number
  readonly yarn_ext_factor: number
  readonly yarn_attn_factor: number
  readonly yarn_beta_fast: number
  readonly yarn_beta_slow: number
  readonly yarn_orig_ctx: number
  readonly defrag_thold: number
  readonly cb_eval: Pointer | null
  readonly cb_eval_user_data: Pointer | null
  readonly type_k: number
  readonly type_v: number
  readonly abort_callback: Pointer | null
  readonly abort_callback_data: Pointer | null
  readonly embeddings: boolean
  readonly offload_kqv: boolean
  readonly no_perf: boolean
  readonly op_offload: boolean
  readonly swa_full: boolean
  readonly kv_unified: boolean
  readonly samplers: Pointer | null
  readonly n_samplers: number
  readonly ctx_other: Pointer | null
}

/** Tokens, or vectors (`embd`) instead of them, with their positions. */
export interface Batch {
  readonly n_tokens: number
  readonly token: Pointer | null
  readonly embd: Pointer | null
  readonly pos: Pointer
  readonly n_seq_id: Pointer
  readonly seq_id: Pointer
  readonly logits: Pointer
}

/** The library's default parameters of models and contexts: other values mean another struct layout. */
export interface LlamaDefaults {
  readonly model: ModelParams
  readonly context: ContextParams
}

export const expectedDefaults: LlamaDefaults = {
  model: {
    devices: null,
    tensor_buft_overrides: null,
    n_gpu_layers: -1,
    split_mode: 1,
    load_mode: loadModes.automatic,
    lazy_mode: 1,
    main_gpu: 0,
    tensor_split: null,
    progress_callback: null,
    progress_callback_user_data: null,
    kv_overrides: null,
    vocab_only: false,
    check_tensors: false,
    use_extra_bufts: true,
    no_host: false,
    no_alloc: false,
    load_mtp: false,
  },
  context: {
    n_ctx: 512,
    n_batch: 2048,
    n_ubatch: 512,
    n_seq_max: 1,
    n_rs_seq: 0,
    n_outputs_max: 0,
    n_outputs_max_per_seq: 1,
    n_threads: 4,
    n_threads_batch: 4,
    ctx_type: 0,
    rope_scaling_type: -1,
    pooling_type: -1,
    attention_type: -1,
    flash_attn_type: -1,
    rope_freq_base: 0,
    rope_freq_scale: 0,
    yarn_ext_factor: -1,
    yarn_attn_factor: -1,
    yarn_beta_fast: -1,
    yarn_beta_slow: -1,
    yarn_orig_ctx: 0,
    defrag_thold: -1,
    cb_eval: null,
    cb_eval_user_data: null,
    type_k: cacheTypeNumbers.f16,
    type_v: cacheTypeNumbers.f16,
    abort_callback: null,
    abort_callback_data: null,
    embeddings: false,
    offload_kqv: true,
    no_perf: true,
    op_offload: true,
    swa_full: true,
    kv_unified: false,
    samplers: null,
    n_samplers: 0,
    ctx_other: null,
  },
}

/** A struct whose members are those of the expected defaults, in their order; `types` of the members that are no int, bool or pointer. */
function structLike<Values extends object>(name: string, values: Values, types: Partial<Record<keyof Values, string>>): TypeObject {
  const typeOf = (value: unknown): string => (value === null ? 'void *' : typeof value === 'boolean' ? 'bool' : 'int32_t')
  const members = Object.entries(values).map(([member, value]) => [member, types[member as keyof Values] ?? typeOf(value)])
  return koffi.struct(name, Object.fromEntries(members))
}

structLike('llama_model_params', expectedDefaults.model, {})
structLike('llama_context_params', expectedDefaults.context, {
  rope_freq_base: 'float',
  rope_freq_scale: 'float',
  yarn_ext_factor: 'float',
  yarn_attn_factor: 'float',
  yarn_beta_fast: 'float',
  yarn_beta_slow: 'float',
  defrag_thold: 'float',
  n_samplers: 'size_t',
})
koffi.struct('llama_batch', {
  n_tokens: 'int32_t',
  token: 'void *',
  embd: 'void *',
  pos: 'void *',
  n_seq_id: 'void *',
  seq_id: 'void *',
  logits: 'void *',
})
koffi.struct('llama_sampler_chain_params', { no_perf: 'bool' })
koffi.struct('ggml_threadpool_params', {
  cpumask: koffi.array('bool', 512),
  n_threads: 'int',
  prio: 'int',
  poll: 'uint32_t',
  strict_cpu: 'bool',
  paused: 'bool',
})
