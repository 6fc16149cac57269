import { ServiceError } from '../../core/error.ts'
import type { ImageProgress } from '../../core/image-generation.ts'
import type { ImageModelDescriptor } from '../../core/model.ts'
import type { ImageModel } from '../../core/ports/image-model.ts'
import type { LoadOptions } from '../../core/ports/model-loader.ts'
import type { EngineOptions } from './engine-messages.ts'
import { serveEngine, type WorkRunner } from './serve-engine.ts'

type LoadImage = (descriptor: ImageModelDescriptor, options: EngineOptions & LoadOptions) => Promise<ImageModel & AsyncDisposable>

/** The main of an engine process: loads the image model the service names and answers its calls until the service is gone. */
export function serveImageEngine(load: LoadImage): void {
  serveEngine(async (descriptor, options) => {
    if (descriptor.kind !== 'image') throw new ServiceError('internal_error', `The image engine was asked to load ${descriptor.id}.`)
    const model = await load(descriptor, options)
    return { run: createRunner(model), slots: options.slots, device: model.device }
  })
}

function createRunner(model: ImageModel): WorkRunner {
  return async (work, { id, signal, send }) => {
    const onProgress = (progress: ImageProgress) => send({ type: 'progress', id, progress })
    if (work.type === 'enlarge') {
      if (model.enlarge === undefined)
        throw new ServiceError('unsupported', 'This model draws images; use an upscaler.', { param: 'model' })
      return model.enlarge(work.request, { signal, onProgress })
    }
    if (work.type !== 'draw') throw new ServiceError('internal_error', 'The image engine was asked for text.')
    const { request, assets, upscaler } = work
    return model.generate(request, { signal, assets, upscaler, onProgress })
  }
}
