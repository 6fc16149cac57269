import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type ImageServerFormat, samplersMissingAt } from '../../core/images/image-servers.ts'
import { type Placeholder, parseWorkflow, type Workflow } from '../../core/images/workflow.ts'
import type { ImageModelBounds, ImageModelDescriptor } from '../../core/model.ts'
import { findSchedulerFault, refusedSamplers } from '../../core/sampler.ts'
import type { CatalogFault } from '../catalog-fault.ts'
import type { ModelFile } from '../model-file.ts'
import { readObject } from './read-object.ts'
import { readAddress, readTimeouts } from './servers.ts'

type ImageServer = Omit<ImageModelDescriptor, 'id' | 'name' | 'folder' | 'license' | 'bytes' | 'created'>

/** Bounds of an image server that follow from its API. */
export async function describeImageServer(
  modelFile: ModelFile & { readonly format: ImageServerFormat },
  folder: string,
): Promise<ImageServer | { readonly fault: CatalogFault }> {
  const { format, defaults, timeouts } = modelFile
  const native = { width: 1024, height: 1024, ...modelFile.native }
  const workflow = format === 'comfyui' ? await readWorkflow(join(folder, modelFile.workflow ?? 'workflow.json')) : undefined
  if (workflow !== undefined && 'fault' in workflow) return workflow
  const takes = (name: Placeholder): boolean => format !== 'openai-images' && (workflow === undefined || workflow.open.includes(name))
  // stable-diffusion.cpp has no DDIM.
  const sampler = defaults?.sampler ?? (format === 'sd-server' ? 'K_EULER' : 'DDIM')
  return {
    kind: 'image',
    format,
    native,
    draws: 'requested',
    sizes:
      workflow === undefined || (takes('width') && takes('height'))
        ? { type: 'range', min: 64, max: 2048 }
        : { type: 'list', sizes: [native] },
    defaults: { steps: 30, guidanceScale: 12, sampler },
    refiner: null,
    // Other servers report progress, so that a hanging one is noticed however long an image takes.
    upstream: {
      ...readAddress(modelFile, { folder, usualSlots: 1 }),
      timeouts: readTimeouts(timeouts, { usualFirst: format === 'openai-images' ? 600 : null }),
    },
    ...(workflow && { workflow }),
    bounds: {
      clipSkip: 0,
      lcmSteps: null,
      refusedSamplers: samplersMissingAt(format, sampler),
      startsFromImage: takes('init_image'),
      takesSeeds: takes('seed'),
    },
  }
}

/** Maximum size of a workflow; it is sent with every image. */
const longestWorkflow = 4 * 1024 * 1024

/** Reads a workflow file, or returns its fault. */
async function readWorkflow(file: string): Promise<Workflow | { readonly fault: CatalogFault }> {
  const read = await readText(file)
  const parsed = typeof read === 'string' ? parseWorkflow(read) : read
  return 'fault' in parsed ? { fault: { file, field: '', message: `${parsed.fault}.` } } : parsed
}

async function readText(file: string): Promise<string | { readonly fault: string }> {
  try {
    if ((await stat(file)).size > longestWorkflow)
      return { fault: `has more than ${longestWorkflow} bytes; store images as files on the server` }
    return await readFile(file, 'utf8')
  } catch {
    return { fault: 'cannot be read; make it readable for the user that runs the service' }
  }
}

/** Default number of LCM's training steps, as in diffusers. */
const usualLcmSteps = 50

const schedulerFile = 'scheduler/scheduler_config.json'

/** Finds properties of an image model's folder that no engine supports. */
export async function findImageFaults(folder: string): Promise<readonly CatalogFault[]> {
  const fault = findSchedulerFault((await readObject(folder, schedulerFile)) ?? {})
  return fault === null ? [] : [{ file: join(folder, schedulerFile), field: '', message: `${fault}.` }]
}

/** Reads an image model's limits from the small files of its folder; the runtime checks the rest. */
export async function readImageBounds(folder: string): Promise<ImageModelBounds> {
  const [scheduler, ...encoders] = await Promise.all(
    [schedulerFile, 'text_encoder/config.json', 'text_encoder_2/config.json'].map((file) => readObject(folder, file)),
  )
  const vaeEncoder = await stat(join(folder, 'vae_encoder/model.onnx')).catch(() => null)
  const layers = encoders.map((config) => config?.num_hidden_layers).filter((count) => typeof count === 'number')
  const lcmSteps = scheduler?.original_inference_steps ?? usualLcmSteps
  return {
    // SDXL reads the penultimate layer without any skipping.
    clipSkip: layers.length === 0 ? null : Math.min(...layers) - 1,
    lcmSteps: scheduler !== null && typeof lcmSteps === 'number' ? lcmSteps : null,
    refusedSamplers: refusedSamplers(scheduler ?? {}),
    startsFromImage: vaeEncoder?.isFile() ?? false,
    takesSeeds: true,
  }
}
