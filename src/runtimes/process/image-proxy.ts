import type { ImageResult } from '../../core/image-generation.ts'
import type { ImageModel } from '../../core/ports/image-model.ts'
import type { EngineProcess } from './engine-process.ts'

/** An image model that lives in an engine process. */
export function createImageProxy(engine: EngineProcess): ImageModel {
  return {
    device: engine.facts.device,
    async generate(request, { signal, onProgress }) {
      using call = engine.call({ type: 'draw', request }, { signal, onProgress })
      return (await call.result()) as ImageResult
    },
  }
}
