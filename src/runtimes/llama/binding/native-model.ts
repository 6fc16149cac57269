import koffi from 'koffi'
import { type NativeCall, runApart } from './llama-functions.ts'
import { loadModes, type Pointer } from './llama-layout.ts'
import type { LlamaLibrary } from './llama-library.ts'
import { tokenAttributes } from './token-piece.ts'

interface LoadOptions {
  readonly gpuLayers: number
  readonly loadMode: keyof typeof loadModes
  /** Called with the share of the file that has been read, 0 to 1. */
  readonly onProgress: (part: number) => void
  readonly signal: AbortSignal
}

const progressCallback = koffi.pointer(koffi.proto('bool llama_progress_callback(float part, void *data)'))
/** Tensors are read whole, also those that an architecture marks to be read row by row (`llama_lazy_mode`). */
const readWhole = 0

/** `LLAMA_ROPE_TYPE_MROPE` and `LLAMA_ROPE_TYPE_IMROPE`. */
const gridRopes: readonly number[] = [8, 40]

/** The weights and the vocabulary of a file, in native memory. */
export class NativeModel implements AsyncDisposable {
  readonly pointer: Pointer
  readonly library: LlamaLibrary
  readonly vocabularySize: number
  /** Whether a GPU computes a part of it. */
  readonly isOnGpu: boolean
  readonly #vocabulary: Pointer

  constructor(library: LlamaLibrary, pointer: Pointer, { isOnGpu }: { readonly isOnGpu: boolean }) {
    this.isOnGpu = isOnGpu
    this.library = library
    this.pointer = pointer
    this.#vocabulary = library.functions.llama_model_get_vocab(pointer)
    this.vocabularySize = library.functions.llama_vocab_n_tokens(this.#vocabulary)
  }

  /** Reads a file; null when llama.cpp cannot, or `signal` ended it. */
  static async load(
    library: LlamaLibrary,
    path: string,
    { gpuLayers, loadMode, onProgress, signal }: LoadOptions,
  ): Promise<NativeModel | null> {
    const progress = koffi.register((part: number) => {
      onProgress(part)
      return !signal.aborted
    }, progressCallback)
    try {
      const pointer = await runApart(library.functions.llama_model_load_from_file, path, {
        ...library.functions.llama_model_default_params(),
        n_gpu_layers: gpuLayers,
        load_mode: loadModes[loadMode],
        lazy_mode: readWhole,
        progress_callback: progress,
      })
      return pointer === null ? null : new NativeModel(library, pointer, { isOnGpu: gpuLayers > 0 })
    } finally {
      koffi.unregister(progress)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await runApart(this.library.functions.llama_model_free, this.pointer)
  }

  /** Reads a LoRA adapter; a text = why it does not fit these weights. */
  async readAdapter(path: string): Promise<Pointer | string> {
    return this.library.listening(async (errors) => {
      const pointer = await runApart(this.library.functions.llama_adapter_lora_init, this.pointer, path)
      return pointer ?? findAdapterFault(errors.join(' '))
    })
  }

  /** Not while a context computes with it, or is set to. */
  freeAdapter(adapter: Pointer): void {
    this.library.functions.llama_adapter_lora_free(adapter)
  }

  get bytes(): number {
    return Number(this.library.functions.llama_model_size(this.pointer))
  }

  get trainContextLength(): number {
    return this.library.functions.llama_model_n_ctx_train(this.pointer)
  }

  /** Numbers of a text's vector. */
  get vectorLength(): number {
    return this.library.functions.llama_model_n_embd_out(this.pointer)
  }

  /** Numbers of the vectors that it takes in place of tokens. */
  get inputLength(): number {
    return this.library.functions.llama_model_n_embd_inp(this.pointer)
  }

  /** Whether the positions of what a picture shows have a line and a column beside their time (M-RoPE). */
  get placesInGrids(): boolean {
    return gridRopes.includes(this.library.functions.llama_model_rope_type(this.pointer))
  }

  /** Numbers of a pair's scores. */
  get scoreCount(): number {
    return this.library.functions.llama_model_n_cls_out(this.pointer)
  }

  /** Metadata of the file as text; null = missing. */
  metadata(key: string): string | null {
    const read = (buffer: Uint8Array): number => this.library.functions.llama_model_meta_val_str(this.pointer, key, buffer, buffer.length)
    const bytes = read(new Uint8Array(1))
    if (bytes < 0) return null
    const buffer = new Uint8Array(bytes + 1)
    read(buffer)
    return Buffer.from(buffer.subarray(0, bytes)).toString()
  }

  /** @param special Whether spellings of control tokens become these tokens. */
  tokenize(text: string, special: boolean): Uint32Array {
    const bytes = Buffer.from(text)
    const read = (tokens: Int32Array): number =>
      this.library.functions.llama_tokenize(this.#vocabulary, bytes, bytes.length, tokens, tokens.length, false, special)
    let tokens = new Int32Array(bytes.length + 2)
    let count = read(tokens)
    if (count < 0) {
      tokens = new Int32Array(-count)
      count = read(tokens)
    }
    return Uint32Array.from(tokens.subarray(0, Math.max(0, count)))
  }

  /** One of {@link vocabularyTypes}, or another `llama_vocab_type`. */
  get vocabularyType(): number {
    return this.library.functions.llama_vocab_type(this.#vocabulary)
  }

  /** Ids of special tokens; null = not in the file, or not a control token. */
  get begin(): number | null {
    return this.#controlToken(this.library.functions.llama_vocab_bos)
  }

  get end(): number | null {
    return this.#controlToken(this.library.functions.llama_vocab_eos)
  }

  get separator(): number | null {
    return this.#knownToken(this.library.functions.llama_vocab_sep)
  }

  /** The fill-in-the-middle tokens: before the prefix, before the suffix, and before the text to generate. */
  get gap(): { readonly prefix: number | null; readonly suffix: number | null; readonly middle: number | null } {
    const { llama_vocab_fim_pre, llama_vocab_fim_suf, llama_vocab_fim_mid } = this.library.functions
    return {
      prefix: this.#knownToken(llama_vocab_fim_pre),
      suffix: this.#knownToken(llama_vocab_fim_suf),
      middle: this.#knownToken(llama_vocab_fim_mid),
    }
  }

  get beginsTexts(): boolean {
    return this.library.functions.llama_vocab_get_add_bos(this.#vocabulary)
  }

  get endsTexts(): boolean {
    return this.library.functions.llama_vocab_get_add_eos(this.#vocabulary)
  }

  /** A token's entry in the vocabulary. */
  tokenText(token: number): string {
    return this.library.functions.llama_vocab_get_text(this.#vocabulary, token) ?? ''
  }

  /** Bits, see {@link tokenAttributes}. */
  tokenAttributes(token: number): number {
    return this.library.functions.llama_vocab_get_attr(this.#vocabulary, token)
  }

  /** Whether a token ends an answer. */
  isEnd(token: number): boolean {
    return this.library.functions.llama_vocab_is_eog(this.#vocabulary, token)
  }

  #controlToken(read: NativeCall<[vocabulary: Pointer], number>): number | null {
    const token = read(this.#vocabulary)
    return token >= 0 && (this.tokenAttributes(token) & tokenAttributes.control) !== 0 ? token : null
  }

  #knownToken(read: NativeCall<[vocabulary: Pointer], number>): number | null {
    const token = read(this.#vocabulary)
    return token >= 0 && (this.tokenAttributes(token) & tokenAttributes.unknown) === 0 ? token : null
  }
}

/** A short explanation of llama.cpp's error about an adapter. */
function findAdapterFault(errors: string): string {
  const missing = /LoRA tensor '([^']+)' does not exist/.exec(errors)?.[1]
  if (missing !== undefined) return `it changes ${missing}, which the model does not have`
  const shape = /tensor '([^']+)' has incorrect shape/.exec(errors)?.[1]
  return shape === undefined ? 'llama.cpp cannot read it' : `its ${shape} has another shape`
}
