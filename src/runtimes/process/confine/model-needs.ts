import type { ModelDescriptor } from '../../../core/model.ts'
import type { EngineNeeds } from './confinement.ts'

/** Code and stacks of an engine, beside what its model takes. */
const ownBytes = 2 * 1024 ** 3

/** Lets glibc use pages of 2 MiB for large allocations, which makes reading all weights 2 to 7 % faster. No effect on other systems. */
const hugePages = { GLIBC_TUNABLES: 'glibc.malloc.hugetlb=1' }

/**
 * Resources of a model's engine: its files, and 1.5 times the memory for all models. GPU drivers need their own files and unlimited address
 * space.
 *
 * llama.cpp decodes batches and draws tokens in libuv's pool, which has one thread for models on the processor: work runs in order, and the
 * drawing thread has the logits in its cache. A single text of a quick model is computed on the main thread instead.
 *
 * @param machine.threads Number of compute threads.
 * @param machine.memoryBytes Memory limit for all loaded models together.
 * @param machine.assetFolders Folders of assets that requests may name.
 */
export function modelNeeds(
  model: ModelDescriptor,
  {
    gpu,
    threads,
    memoryBytes,
    assetFolders = [],
  }: { readonly gpu: string; readonly threads: number; readonly memoryBytes: number; readonly assetFolders?: readonly string[] },
): EngineNeeds {
  const environment = model.kind === 'text' ? { ...hugePages, UV_THREADPOOL_SIZE: gpu === 'off' ? '1' : String(threads) } : {}
  if (gpu !== 'off') return { environment, readable: null, memoryBytes: null }
  return {
    environment,
    readable: [...new Set([model.folder, ...filesBeside(model), ...(takesAssets(model) ? assetFolders : [])])],
    memoryBytes: Math.ceil(memoryBytes * 1.5) + ownBytes,
    opensThread: model.kind === 'text' && model.projector !== undefined,
  }
}

/** Checkpoints and language models that run here take LoRAs. */
function takesAssets(model: ModelDescriptor): boolean {
  return model.kind === 'image' ? model.checkpoint !== undefined : model.format === 'gguf'
}

function filesBeside(model: ModelDescriptor): readonly string[] {
  if (model.kind === 'image') {
    const { refiner, checkpoint, upscaler } = model
    return [refiner ?? [], checkpoint?.weights ?? [], Object.values(checkpoint?.files ?? {}), upscaler?.weights ?? []].flat()
  }
  return [model.file, model.projector ?? [], ...(model.speculative?.method === 'draft-model' ? [model.speculative.file] : [])].flat()
}
