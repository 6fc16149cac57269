import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { findSchedulerFault, refusedSamplers } from '../../core/images/sampler-support.ts'
import type { ImageModelBounds } from '../../core/model.ts'
import type { CatalogFault } from '../catalog-fault.ts'

/** Steps of the training schedule that LCM chooses from where the scheduler config names no other number, as in diffusers. */
const usualLcmSteps = 50

const schedulerFile = 'scheduler/scheduler_config.json'

/** Says what in an image model's folder no engine here can follow. */
export async function findImageFaults(folder: string): Promise<readonly CatalogFault[]> {
  const fault = findSchedulerFault((await readObject(folder, schedulerFile)) ?? {})
  return fault === null ? [] : [{ file: join(folder, schedulerFile), field: '', message: `${fault}.` }]
}

/** Reads what an image model refuses out of the small files of its folder; what they do not tell is left to the runtime. */
export async function readImageBounds(folder: string): Promise<ImageModelBounds> {
  const [scheduler, ...encoders] = await Promise.all(
    [schedulerFile, 'text_encoder/config.json', 'text_encoder_2/config.json'].map((file) => readObject(folder, file)),
  )
  const vaeEncoder = await stat(join(folder, 'vae_encoder/model.onnx')).catch(() => null)
  const layers = encoders.map((config) => config?.num_hidden_layers).filter((count) => typeof count === 'number')
  const lcmSteps = scheduler?.original_inference_steps ?? usualLcmSteps
  return {
    // The last layer but one is what SDXL reads without any skipping.
    clipSkip: layers.length === 0 ? null : Math.min(...layers) - 1,
    lcmSteps: scheduler !== null && typeof lcmSteps === 'number' ? lcmSteps : null,
    refusedSamplers: refusedSamplers(scheduler ?? {}),
    startsFromImage: vaeEncoder?.isFile() ?? false,
    takesSeeds: true,
  }
}

async function readObject(folder: string, file: string): Promise<Readonly<Record<string, unknown>> | null> {
  try {
    const value: unknown = JSON.parse(await readFile(join(folder, file), 'utf8'))
    return typeof value === 'object' && value !== null ? { ...value } : null
  } catch {
    return null
  }
}
