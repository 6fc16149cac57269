import { join } from 'node:path'
import { type ImageServerFormat, samplersMissingAt } from '../../core/images/image-servers.ts'
import type { Placeholder } from '../../core/images/workflow.ts'
import type { ImageModelDescriptor } from '../../core/model.ts'
import type { CatalogFault } from '../catalog-fault.ts'
import type { ModelFile } from '../model-file.ts'
import { readAddress } from './read-address.ts'
import { readTimeouts } from './read-timeouts.ts'
import { readWorkflow } from './read-workflow.ts'

type ImageServer = Omit<ImageModelDescriptor, 'id' | 'name' | 'folder' | 'license' | 'bytes' | 'created'>

/** What is known of a server that draws before it is asked: what its interface has no words for. */
export async function describeImageServer(
  modelFile: ModelFile & { readonly format: ImageServerFormat },
  folder: string,
): Promise<ImageServer | { readonly fault: CatalogFault }> {
  const { format, native = { width: 1024, height: 1024 }, defaults, timeouts } = modelFile
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
    // The others are asked meanwhile how far they are: one of them that hangs is found out however long a picture takes.
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
