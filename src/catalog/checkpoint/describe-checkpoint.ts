import { readFile, realpath } from 'node:fs/promises'
import { type CheckpointFamily, isTransformerFamily, type Prediction } from '../../core/checkpoint/checkpoint-family.ts'
import { familyDefaults } from '../../core/checkpoint/family-defaults.ts'
import type { ImageModelBounds, ImageModelDescriptor } from '../../core/model.ts'
import { flowRefusals, refusedSamplers, type SchedulerOptions } from '../../core/sampler.ts'

/** A file or folder recognized as a checkpoint. */
export interface FoundCheckpoint {
  readonly family: CheckpointFamily
  readonly inpainting: boolean
  /** Prediction type according to the file; null = not given. */
  readonly prediction: Prediction | null
  /** Whether its VAE has an encoder, needed for image-to-image; absent = it has, or another file's VAE has. */
  readonly encodes?: boolean
  /** Layers of the shortest text encoder; null = unknown. */
  readonly layers: number | null
  /** Sizes of its networks that limit requests; absent = unknown. */
  readonly limits?: Pick<ImageModelBounds, 'maxSide' | 'blocks' | 'width' | 'textWidths'>
  /** Options of its scheduler in diffusers' words; absent = in no file. */
  readonly scheduler?: SchedulerOptions
}

/** Descriptor fields derived from a checkpoint's family and name; {@link weights} is the file, or the folder in diffusers' layout. */
export async function describeCheckpoint(
  { family, inpainting, layers, prediction: stated, encodes = true, limits = {}, scheduler = {} }: FoundCheckpoint,
  { weights, name }: { readonly weights: string; readonly name: string },
): Promise<Omit<ImageModelDescriptor, 'id' | 'name' | 'folder' | 'license' | 'bytes' | 'created'>> {
  const hint = await readFile(weights.replace(/\.safetensors$/iu, '.yaml'), 'utf8').catch(() => '')
  const { native, sizes, steps, guidanceScale, sampler, timestepSpacing, prediction: named } = familyDefaults(family, name, hint)
  const within = (side: number): number => Math.min(side, limits.maxSide ?? side)
  return {
    kind: 'image',
    format: 'safetensors',
    native: { width: within(native.width), height: within(native.height) },
    draws: 'requested',
    sizes: sizes.type === 'range' ? { ...sizes, max: within(sizes.max) } : sizes,
    defaults: { steps, guidanceScale, sampler },
    refiner: null,
    timestepSpacing,
    bounds: { ...checkpointBounds(family, layers, scheduler), startsFromImage: encodes, ...limits },
    // Links are resolved here: the engine may read the file, but not the link's folder.
    checkpoint: {
      ...{ family, inpainting, weights: await realpath(weights), prediction: stated ?? named },
      // Files of Stable Diffusion 2 never state it.
      ...(stated === null && named !== null && family !== 'sd2' && { guessed: true }),
    },
  }
}

function checkpointBounds(family: CheckpointFamily, layers: number | null, scheduler: SchedulerOptions): ImageModelBounds {
  if (isTransformerFamily(family))
    return {
      clipSkip: family === 'sd3' ? layers && Math.max(0, layers - 1) : 0,
      lcmSteps: null,
      refusedSamplers: flowRefusals,
      startsFromImage: true,
      takesSeeds: true,
    }
  // SDXL reads the penultimate layer, and Stable Diffusion 2 was trained on it, so one layer is always skipped.
  const unread = family === 'sd15' ? 0 : 1
  return {
    clipSkip: layers === null ? null : Math.max(0, layers - unread),
    lcmSteps: typeof scheduler.original_inference_steps === 'number' ? scheduler.original_inference_steps : 50,
    refusedSamplers: refusedSamplers(scheduler),
    startsFromImage: true,
    takesSeeds: true,
  }
}
