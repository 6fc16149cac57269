import { ServiceError } from '../../../core/error.ts'
import { type CacheType, cacheBytesAs, chooseContextLength, padCells } from '../../../core/gguf/context-length.ts'
import { cacheMemory } from './cache-memory.ts'
import { NativeContext } from './native-context.ts'
import type { ModelFile } from './open-model-file.ts'
import type { ThreadPool } from './thread-pool.ts'

const promptTokens = 512

/** Limits of evaluating batches. */
export interface DecodeLimits {
  /** Maximum prompt tokens per batch, however fast the model is. */
  readonly promptTokens: number
  /** Batches after which moving a sequence next to the others has paid for itself. */
  readonly movePatience: number
}

export interface OpenContext extends AsyncDisposable {
  readonly native: NativeContext
  /** Tokens per sequence. */
  readonly contextLength: number
  readonly limits: DecodeLimits
}

export interface ContextOptions {
  readonly pool: ThreadPool
  /** Whether native work runs one after the other, in the order in which it was queued. */
  readonly inOrder?: boolean
  readonly slots: number
  readonly contextLength: number | null
  /** Storage type of keys and values; default 16 bits. */
  readonly cacheType?: CacheType | undefined
  /** Memory limit for all models together. */
  readonly memoryBytes?: number
}

/** Opens a context with sequences for every slot. @throws {ServiceError} `inference_failed` if the memory does not suffice. */
export async function openContext(
  file: ModelFile,
  { pool, inOrder, slots, contextLength, cacheType = 'f16', memoryBytes }: ContextOptions,
): Promise<OpenContext> {
  const bytesPerToken = cacheBytesAs(cacheType, file.cacheBytesPerToken)
  const length = chooseContextLength(
    { wanted: contextLength, trained: file.trainContextLength },
    { bytesPerToken, sequences: slots, memory: cacheMemory(file, { memoryBytes }) },
  )
  const shape = {
    contextSize: padCells(length) * slots,
    batchSize: promptTokens + slots,
    sequences: slots,
    cacheType,
    swaFullCache: true, // without it, a trimmed prefix could miss keys that a sliding window dropped
    makes: 'logits',
  } as const
  const native = await NativeContext.open(file.native, shape, { pool, inOrder })
  if (native === null)
    throw new ServiceError(
      'inference_failed',
      `There is not enough memory for ${slots} sequences of ${length} tokens; set a smaller contextLength or fewer slots.`,
    )
  const movePatience = Math.ceil((2 * padCells(length) * bytesPerToken) / file.bytes) // a batch reads all weights once
  return {
    native,
    contextLength: length,
    limits: { promptTokens, movePatience },
    [Symbol.asyncDispose]: () => native[Symbol.asyncDispose](),
  }
}
