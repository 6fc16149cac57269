import type { LlamaGpuType } from 'node-llama-cpp'
import { ServiceError } from '../../../core/error.ts'
import { cacheBytesPerToken } from './context-length.ts'
import { type NativeBinding, type NativeModel, reachNative } from './native-binding.ts'

/** A GGUF file in memory. */
export interface ModelFile extends AsyncDisposable {
  readonly binding: NativeBinding
  readonly native: NativeModel
  readonly chatTemplate: string | null
  readonly vocabularySize: number
  /** Bytes that one token spells, at most. */
  readonly longestToken: number
  readonly trainContextLength: number
  /** Bytes of the weights. */
  readonly bytes: number
  /** Bytes of keys and values per token. */
  readonly cacheBytesPerToken: number
}

/** Of a character in JavaScript's sense, in UTF-8. */
const bytesPerCharacter = 3

/** @throws {ServiceError} `inference_failed` when llama.cpp cannot read the file, or has no build for the GPU asked for. */
export async function openModelFile(
  path: string,
  { threads, gpu = 'off', signal }: { readonly threads: number; readonly gpu?: string; readonly signal: AbortSignal },
): Promise<ModelFile> {
  const { getLlama, LlamaLogLevel } = await import('node-llama-cpp')
  await using opened = new AsyncDisposableStack()
  const llama = opened.use(
    await getLlama({
      gpu: chooseGpu(gpu),
      build: 'never',
      skipDownload: true,
      progressLogs: false,
      maxThreads: threads,
      logLevel: LlamaLogLevel.error,
    }).catch((cause) => rejectGpu(gpu, cause)),
  )
  signal.throwIfAborted()
  const model = opened.use(await llama.loadModel({ modelPath: path, loadSignal: signal }).catch((cause) => rejectFile(path, signal, cause)))
  const { binding, model: native } = reachNative(llama, model)
  const { tokenizer } = model.fileInfo.metadata
  const resources = opened.move()
  return {
    binding,
    native,
    chatTemplate: tokenizer.chat_template ?? null,
    vocabularySize: tokenizer.ggml.tokens.length,
    longestToken: bytesPerCharacter * tokenizer.ggml.tokens.reduce((longest, { length }) => Math.max(longest, length), 1),
    trainContextLength: model.trainContextSize,
    bytes: model.size,
    cacheBytesPerToken: cacheBytesPerToken(model.fileInfo),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

function chooseGpu(gpu: string): LlamaGpuType | 'auto' {
  return gpu === 'auto' || gpu === 'cuda' || gpu === 'vulkan' || gpu === 'metal' ? gpu : false
}

function rejectGpu(gpu: string, cause: unknown): never {
  throw new ServiceError(
    'inference_failed',
    `llama.cpp has no build here for gpu ${gpu}; install it as the README says, or start with --gpu off.`,
    {
      cause,
    },
  )
}

function rejectFile(path: string, signal: AbortSignal, cause: unknown): never {
  signal.throwIfAborted()
  throw new ServiceError('inference_failed', `llama.cpp cannot read ${path}; check that it is a whole GGUF file of a known architecture.`, {
    cause,
  })
}
