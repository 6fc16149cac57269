import { join } from 'node:path'
import { type ImageServerFormat, samplersMissingAt } from '../../core/images/image-servers.ts'
import type { ImageModelDescriptor } from '../../core/model.ts'
import type { ModelFile } from '../model-file.ts'
import { readAddress } from './read-address.ts'
import { readTimeouts } from './read-timeouts.ts'

type ImageServer = Omit<ImageModelDescriptor, 'id' | 'name' | 'folder' | 'license' | 'bytes' | 'created'>

/** What is known of a server that draws before it is asked: what its interface has no words for. */
export function describeImageServer(modelFile: ModelFile & { readonly format: ImageServerFormat }, folder: string): ImageServer {
  const { format, native = { width: 1024, height: 1024 }, defaults, workflow = 'workflow.json', timeouts } = modelFile
  // stable-diffusion.cpp has no DDIM.
  const sampler = defaults?.sampler ?? (format === 'sd-server' ? 'K_EULER' : 'DDIM')
  return {
    kind: 'image',
    format,
    native,
    draws: 'requested',
    sizes: { type: 'range', min: 64, max: 2048 },
    defaults: { steps: 30, guidanceScale: 12, sampler },
    refiner: null,
    // The others are asked meanwhile how far they are: one of them that hangs is found out however long a picture takes.
    upstream: {
      ...readAddress(modelFile, { folder, usualSlots: 1 }),
      timeouts: readTimeouts(timeouts, { usualFirst: format === 'openai-images' ? 600 : null }),
    },
    ...(format === 'comfyui' && { workflow: join(folder, workflow) }),
    bounds: {
      clipSkip: 0,
      lcmSteps: null,
      refusedSamplers: samplersMissingAt(format, sampler),
      startsFromImage: format !== 'openai-images',
      takesSeeds: format !== 'openai-images',
    },
  }
}
