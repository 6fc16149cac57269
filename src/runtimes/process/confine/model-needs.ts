import type { ModelDescriptor } from '../../../core/model.ts'
import type { EngineNeeds } from './confinement.ts'

/** Code and stacks of an engine, beside what its model takes. */
const ownBytes = 2 * 1024 ** 3

/**
 * What the engine of a model may use: the model's files, and memory for every model together and half as much again. Drivers of graphics
 * cards look for their own files and reserve addresses without end.
 *
 * @param machine.memoryBytes What all loaded models together may use.
 * @param machine.assetFolders Where what requests name besides the model may lie.
 */
export function modelNeeds(
  model: ModelDescriptor,
  {
    gpu,
    memoryBytes,
    assetFolders = [],
  }: { readonly gpu: string; readonly memoryBytes: number; readonly assetFolders?: readonly string[] },
): EngineNeeds {
  const startsProcesses = model.kind === 'text'
  if (gpu !== 'off') return { startsProcesses, readable: null, memoryBytes: null }
  return {
    startsProcesses,
    readable: [...new Set([model.folder, ...filesBeside(model), ...(takesAssets(model) ? assetFolders : [])])],
    memoryBytes: Math.ceil(memoryBytes * 1.5) + ownBytes,
  }
}

/** Only checkpoints take LoRAs and the like. */
function takesAssets(model: ModelDescriptor): boolean {
  return model.kind === 'image' && model.checkpoint !== undefined
}

function filesBeside(model: ModelDescriptor): readonly string[] {
  if (model.kind === 'image') return [model.refiner ?? [], model.checkpoint?.weights ?? [], model.upscaler?.weights ?? []].flat()
  return [model.file, ...(model.speculative?.method === 'draft-model' ? [model.speculative.file] : [])]
}
