import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { ModelFiles } from '../../../src/core/checkpoint/model-files.ts'
import { loadCheckpointPipeline } from '../../../src/runtimes/diffusion/checkpoint/load-checkpoint-pipeline.ts'
import { trainedSchedule } from '../../../src/runtimes/diffusion/checkpoint/parts/checkpoint-parts.ts'
import { type DiffusionPipeline, loadDiffusionPipeline } from '../../../src/runtimes/diffusion/diffusion-pipeline.ts'
import { type JsonRecord, readJsonObject } from '../../../src/runtimes/diffusion/onnx/model-file.ts'
import type { ReferenceCase } from './reference-case.ts'

/** A model that reference cases are replayed on. */
export interface ReferencePipeline extends AsyncDisposable {
  readonly pipeline: DiffusionPipeline
  /** Options of its scheduler that a case's own stand over, in diffusers' words. */
  readonly schedulerJson: JsonRecord
  /** Folder of the cases' assets. */
  readonly folder: string
}

/** The parts of a case that determine which model must be loaded. */
export function pipelineKey({ model, refiner, files }: ReferenceCase): string {
  return JSON.stringify([model, refiner, files])
}

function absolute(folder: string, files: ModelFiles): ModelFiles {
  return Object.fromEntries(Object.entries(files).map(([name, file]) => [name, join(folder, file)]))
}

/** Loads the model of a case, an export or a checkpoint, from the folder that holds it. */
export async function openReferencePipeline(
  folder: string,
  { model, refiner, files }: Pick<ReferenceCase, 'model' | 'refiner' | 'files'>,
  { signal, ...session }: Omit<Parameters<typeof loadCheckpointPipeline>[1], 'refiner'>,
): Promise<ReferencePipeline> {
  const path = join(folder, model)
  const options = { ...session, refiner: refiner === null ? null : join(folder, refiner.model), signal }
  const isExport = (await stat(join(path, 'unet/model.onnx')).catch(() => null)) !== null
  const pipeline = isExport
    ? await loadDiffusionPipeline(path, options)
    : await loadCheckpointPipeline({ weights: path, prediction: null, files: absolute(folder, files) }, options)
  const schedulerJson = isExport ? await readJsonObject(path, 'scheduler/scheduler_config.json') : trainedSchedule
  return { pipeline, schedulerJson, folder, [Symbol.asyncDispose]: () => pipeline[Symbol.asyncDispose]() }
}
