import type { ModelDescriptor } from '../../../core/model.ts'
import type { EngineNeeds } from './confinement.ts'

/** Code and stacks of an engine, beside what its model takes. */
const ownBytes = 2 * 1024 ** 3

/** glibc asks for pages of 2 MiB where it gives out much at once: a batch reads all weights, and finds them 2 to 7 % faster. Elsewhere nobody reads this. */
const hugePages = { GLIBC_TUNABLES: 'glibc.malloc.hugetlb=1' }

/**
 * What the engine of a model may use: the model's files, and memory for every model together and half as much again. Drivers of graphics
 * cards look for their own files and reserve addresses without end.
 *
 * llama.cpp decodes batches and draws tokens in libuv's pool, which has one thread where the processor computes: all happens in the order in which it was
 * asked for, and the thread that draws has the logits in its cache.
 *
 * @param machine.threads Threads it computes with.
 * @param machine.memoryBytes What all loaded models together may use.
 * @param machine.assetFolders Where what requests name besides the model may lie.
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
