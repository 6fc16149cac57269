import type { LibraryHandle } from 'koffi'
import type { Batch, ContextParams, ModelParams, Pointer } from './llama-layout.ts'

/** A C function: called at once, or on one of libuv's threads. */
export interface NativeCall<Arguments extends readonly unknown[], Result> {
  (...values: Arguments): Result
  readonly async: (...values: [...Arguments, (error: Error | null, result: Result) => void]) => void
}

type Nothing = undefined
type Maybe = Pointer | null
/** Memory that a function reads or fills. */
type Memory = Pointer | ArrayBufferView | null

/** The functions of `llama.h` and `ggml-backend.h` that the engine calls, under their own names. */
export interface LlamaFunctions {
  readonly llama_version: NativeCall<[], string>
  readonly llama_model_default_params: NativeCall<[], ModelParams>
  readonly llama_context_default_params: NativeCall<[], ContextParams>
  readonly llama_backend_init: NativeCall<[], Nothing>
  readonly llama_log_set: NativeCall<[callback: Pointer, data: null], Nothing>
  readonly llama_print_system_info: NativeCall<[], string>

  readonly ggml_backend_load_all_from_path: NativeCall<[folder: string], Nothing>
  readonly ggml_backend_dev_count: NativeCall<[], number>
  readonly ggml_backend_dev_get: NativeCall<[index: number], Pointer>
  readonly ggml_backend_dev_type: NativeCall<[device: Pointer], number>
  readonly ggml_backend_dev_description: NativeCall<[device: Pointer], string>
  readonly ggml_backend_dev_memory: NativeCall<[device: Pointer, free: Memory, total: Memory], Nothing>
  readonly ggml_backend_dev_backend_reg: NativeCall<[device: Pointer], Pointer>
  readonly ggml_backend_reg_name: NativeCall<[registry: Pointer], string>
  readonly ggml_backend_reg_get_proc_address: NativeCall<[registry: Pointer, name: string], Maybe>

  readonly llama_model_load_from_file: NativeCall<[path: string, params: ModelParams], Maybe>
  readonly llama_model_free: NativeCall<[model: Pointer], Nothing>
  readonly llama_model_get_vocab: NativeCall<[model: Pointer], Pointer>
  readonly llama_model_n_ctx_train: NativeCall<[model: Pointer], number>
  readonly llama_model_n_embd_inp: NativeCall<[model: Pointer], number>
  readonly llama_model_rope_type: NativeCall<[model: Pointer], number>
  readonly llama_model_n_embd_out: NativeCall<[model: Pointer], number>
  readonly llama_model_n_cls_out: NativeCall<[model: Pointer], number>
  readonly llama_model_size: NativeCall<[model: Pointer], number>
  readonly llama_model_meta_val_str: NativeCall<[model: Pointer, key: string, text: Memory, bytes: number], number>

  readonly llama_vocab_type: NativeCall<[vocabulary: Pointer], number>
  readonly llama_vocab_n_tokens: NativeCall<[vocabulary: Pointer], number>
  readonly llama_vocab_get_text: NativeCall<[vocabulary: Pointer, token: number], string | null>
  readonly llama_vocab_get_attr: NativeCall<[vocabulary: Pointer, token: number], number>
  readonly llama_vocab_is_eog: NativeCall<[vocabulary: Pointer, token: number], boolean>
  readonly llama_vocab_bos: NativeCall<[vocabulary: Pointer], number>
  readonly llama_vocab_eos: NativeCall<[vocabulary: Pointer], number>
  readonly llama_vocab_sep: NativeCall<[vocabulary: Pointer], number>
  readonly llama_vocab_get_add_bos: NativeCall<[vocabulary: Pointer], boolean>
  readonly llama_vocab_get_add_eos: NativeCall<[vocabulary: Pointer], boolean>
  readonly llama_vocab_fim_pre: NativeCall<[vocabulary: Pointer], number>
  readonly llama_vocab_fim_suf: NativeCall<[vocabulary: Pointer], number>
  readonly llama_vocab_fim_mid: NativeCall<[vocabulary: Pointer], number>
  readonly llama_tokenize: NativeCall<
    [vocabulary: Pointer, text: Memory, bytes: number, tokens: Memory, room: number, addSpecial: boolean, parseSpecial: boolean],
    number
  >
  readonly llama_detokenize: NativeCall<
    [vocabulary: Pointer, tokens: Memory, count: number, text: Memory, bytes: number, removeSpecial: boolean, showSpecial: boolean],
    number
  >

  readonly llama_adapter_lora_init: NativeCall<[model: Pointer, path: string], Maybe>
  readonly llama_adapter_lora_free: NativeCall<[adapter: Pointer], Nothing>

  readonly llama_init_from_model: NativeCall<[model: Pointer, params: ContextParams], Maybe>
  readonly llama_free: NativeCall<[context: Pointer], Nothing>
  readonly llama_decode: NativeCall<[context: Pointer, batch: Batch], number>
  readonly llama_set_adapters_lora: NativeCall<[context: Pointer, adapters: Memory, count: number, scales: Memory], number>
  readonly llama_set_causal_attn: NativeCall<[context: Pointer, causal: boolean], Nothing>
  readonly llama_set_n_threads: NativeCall<[context: Pointer, one: number, batch: number], Nothing>
  readonly llama_attach_threadpool: NativeCall<[context: Pointer, one: Pointer | null, batch: Pointer | null], Nothing>
  readonly llama_pooling_type: NativeCall<[context: Pointer], number>
  readonly llama_get_logits: NativeCall<[context: Pointer], Maybe>
  readonly llama_get_logits_ith: NativeCall<[context: Pointer, index: number], Maybe>
  readonly llama_get_embeddings_ith: NativeCall<[context: Pointer, index: number], Maybe>
  readonly llama_get_embeddings_seq: NativeCall<[context: Pointer, sequence: number], Maybe>
  readonly llama_get_memory: NativeCall<[context: Pointer], Pointer>
  readonly llama_memory_seq_rm: NativeCall<[memory: Pointer, sequence: number, start: number, end: number], boolean>
  readonly llama_memory_seq_cp: NativeCall<[memory: Pointer, source: number, target: number, start: number, end: number], Nothing>
  readonly llama_memory_seq_pos_max: NativeCall<[memory: Pointer, sequence: number], number>
  readonly llama_state_seq_get_size: NativeCall<[context: Pointer, sequence: number], number>
  readonly llama_state_seq_get_data: NativeCall<[context: Pointer, data: Memory, bytes: number, sequence: number], number>
  readonly llama_state_seq_set_data: NativeCall<[context: Pointer, data: Memory, bytes: number, sequence: number], number>

  readonly llama_sampler_chain_init: NativeCall<[params: { readonly no_perf: boolean }], Pointer>
  readonly llama_sampler_chain_add: NativeCall<[chain: Pointer, sampler: Pointer], Nothing>
  readonly llama_sampler_chain_remove: NativeCall<[chain: Pointer, place: number], Maybe>
  readonly llama_sampler_free: NativeCall<[sampler: Pointer], Nothing>
  readonly llama_sampler_clone: NativeCall<[sampler: Pointer], Pointer>
  readonly llama_sampler_accept: NativeCall<[sampler: Pointer, token: number], Nothing>
  readonly llama_sampler_sample: NativeCall<[chain: Pointer, context: Pointer, index: number], number>
  readonly llama_sampler_init_greedy: NativeCall<[], Pointer>
  readonly llama_sampler_init_dist: NativeCall<[seed: number], Pointer>
  readonly llama_sampler_init_temp: NativeCall<[temperature: number], Pointer>
  readonly llama_sampler_init_top_k: NativeCall<[count: number], Pointer>
  readonly llama_sampler_init_top_p: NativeCall<[share: number, least: number], Pointer>
  readonly llama_sampler_init_min_p: NativeCall<[share: number, least: number], Pointer>
  readonly llama_sampler_init_penalties: NativeCall<
    [tokens: number, last: number, repetition: number, frequency: number, presence: number],
    Pointer
  >
  readonly llama_sampler_init_logit_bias: NativeCall<[tokens: number, count: number, biases: Memory], Pointer>
}

const [model, context, vocabulary, sampler] = ['void *', 'void *', 'void *', 'void *']

/** Results and arguments, as koffi takes them. */
const signatures: Readonly<Record<keyof LlamaFunctions, readonly [result: string, ...values: string[]]>> = {
  llama_version: ['const char *'],
  llama_model_default_params: ['llama_model_params'],
  llama_context_default_params: ['llama_context_params'],
  llama_backend_init: ['void'],
  llama_log_set: ['void', 'void *', 'void *'],
  llama_print_system_info: ['const char *'],

  ggml_backend_load_all_from_path: ['void', 'const char *'],
  ggml_backend_dev_count: ['size_t'],
  ggml_backend_dev_get: ['void *', 'size_t'],
  ggml_backend_dev_type: ['int', 'void *'],
  ggml_backend_dev_description: ['const char *', 'void *'],
  ggml_backend_dev_memory: ['void', 'void *', 'void *', 'void *'],
  ggml_backend_dev_backend_reg: ['void *', 'void *'],
  ggml_backend_reg_name: ['const char *', 'void *'],
  ggml_backend_reg_get_proc_address: ['void *', 'void *', 'const char *'],

  llama_model_load_from_file: [model, 'const char *', 'llama_model_params'],
  llama_model_free: ['void', model],
  llama_model_get_vocab: [vocabulary, model],
  llama_model_n_ctx_train: ['int32_t', model],
  llama_model_n_embd_inp: ['int32_t', model],
  llama_model_rope_type: ['int', model],
  llama_model_n_embd_out: ['int32_t', model],
  llama_model_n_cls_out: ['uint32_t', model],
  llama_model_size: ['uint64_t', model],
  llama_model_meta_val_str: ['int32_t', model, 'const char *', 'void *', 'size_t'],

  llama_vocab_type: ['int', vocabulary],
  llama_vocab_n_tokens: ['int32_t', vocabulary],
  llama_vocab_get_text: ['const char *', vocabulary, 'int32_t'],
  llama_vocab_get_attr: ['int', vocabulary, 'int32_t'],
  llama_vocab_is_eog: ['bool', vocabulary, 'int32_t'],
  llama_vocab_bos: ['int32_t', vocabulary],
  llama_vocab_eos: ['int32_t', vocabulary],
  llama_vocab_sep: ['int32_t', vocabulary],
  llama_vocab_get_add_bos: ['bool', vocabulary],
  llama_vocab_get_add_eos: ['bool', vocabulary],
  llama_vocab_fim_pre: ['int32_t', vocabulary],
  llama_vocab_fim_suf: ['int32_t', vocabulary],
  llama_vocab_fim_mid: ['int32_t', vocabulary],
  llama_tokenize: ['int32_t', vocabulary, 'void *', 'int32_t', 'void *', 'int32_t', 'bool', 'bool'],
  llama_detokenize: ['int32_t', vocabulary, 'void *', 'int32_t', 'void *', 'int32_t', 'bool', 'bool'],

  llama_adapter_lora_init: ['void *', model, 'const char *'],
  llama_adapter_lora_free: ['void', 'void *'],

  llama_init_from_model: [context, model, 'llama_context_params'],
  llama_free: ['void', context],
  llama_decode: ['int32_t', context, 'llama_batch'],
  llama_set_adapters_lora: ['int32_t', context, 'void *', 'size_t', 'void *'],
  llama_set_causal_attn: ['void', context, 'bool'],
  llama_set_n_threads: ['void', context, 'int32_t', 'int32_t'],
  llama_attach_threadpool: ['void', context, 'void *', 'void *'],
  llama_pooling_type: ['int', context],
  llama_get_logits: ['void *', context],
  llama_get_logits_ith: ['void *', context, 'int32_t'],
  llama_get_embeddings_ith: ['void *', context, 'int32_t'],
  llama_get_embeddings_seq: ['void *', context, 'int32_t'],
  llama_get_memory: ['void *', context],
  llama_memory_seq_rm: ['bool', 'void *', 'int32_t', 'int32_t', 'int32_t'],
  llama_memory_seq_cp: ['void', 'void *', 'int32_t', 'int32_t', 'int32_t', 'int32_t'],
  llama_memory_seq_pos_max: ['int32_t', 'void *', 'int32_t'],
  llama_state_seq_get_size: ['size_t', context, 'int32_t'],
  llama_state_seq_get_data: ['size_t', context, 'void *', 'size_t', 'int32_t'],
  llama_state_seq_set_data: ['size_t', context, 'void *', 'size_t', 'int32_t'],

  llama_sampler_chain_init: [sampler, 'llama_sampler_chain_params'],
  llama_sampler_chain_add: ['void', sampler, sampler],
  llama_sampler_chain_remove: [sampler, sampler, 'int32_t'],
  llama_sampler_free: ['void', sampler],
  llama_sampler_clone: [sampler, sampler],
  llama_sampler_accept: ['void', sampler, 'int32_t'],
  llama_sampler_sample: ['int32_t', sampler, context, 'int32_t'],
  llama_sampler_init_greedy: [sampler],
  llama_sampler_init_dist: [sampler, 'uint32_t'],
  llama_sampler_init_temp: [sampler, 'float'],
  llama_sampler_init_top_k: [sampler, 'int32_t'],
  llama_sampler_init_top_p: [sampler, 'float', 'size_t'],
  llama_sampler_init_min_p: [sampler, 'float', 'size_t'],
  llama_sampler_init_penalties: [sampler, 'int32_t', 'int32_t', 'float', 'float', 'float'],
  llama_sampler_init_logit_bias: [sampler, 'int32_t', 'int32_t', 'void *'],
}

/** @throws {Error} naming the first function that none of the libraries has. */
export function findFunctions(libraries: readonly LibraryHandle[]): LlamaFunctions {
  const found = Object.entries(signatures).map(([name, [result, ...values]]) => [name, findFunction(libraries, name, result, values)])
  return Object.fromEntries(found) as LlamaFunctions
}

function findFunction(libraries: readonly LibraryHandle[], name: string, result: string, values: readonly string[]): unknown {
  for (const library of libraries)
    try {
      return library.func(name, result, [...values])
    } catch {}
  throw new Error(`it has no function ${name}`)
}

/** Calls a function on the caller's thread. */
export async function runHere<Arguments extends readonly unknown[], Result>(
  call: NativeCall<Arguments, Result>,
  ...values: Arguments
): Promise<Result> {
  return call(...values)
}

/** Calls a function on one of libuv's threads. */
export function runApart<Arguments extends readonly unknown[], Result>(
  call: NativeCall<Arguments, Result>,
  ...values: Arguments
): Promise<Result> {
  return new Promise((resolve, reject) => {
    call.async(...values, (error, result) => (error === null ? resolve(result) : reject(error)))
  })
}
