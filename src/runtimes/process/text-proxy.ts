import { ServiceError } from '../../core/error.ts'
import type { TextModel } from '../../core/ports/text-model.ts'
import type { EngineProcess } from './engine-process.ts'

/** A text model that lives in an engine process. */
export function createTextProxy(engine: EngineProcess): TextModel {
  return {
    contextLength: engine.facts.contextLength,
    device: engine.facts.device,
    async *generate(request, { signal, account }) {
      using call = engine.call({ type: 'generate', request, account }, { signal })
      yield* call.parts()
    },
    async countPrompt(request, { signal }) {
      using call = engine.call({ type: 'count', request }, { signal })
      const result = await call.result()
      if (typeof result === 'number') return result
      throw new ServiceError('inference_failed', 'The model answered with something else than a count; send the request again.')
    },
    async embed(request, { signal }) {
      using call = engine.call({ type: 'embed', request }, { signal })
      const result = await call.result()
      if (typeof result === 'object' && 'vectors' in result) return result
      throw new ServiceError('inference_failed', 'The model answered with something else than embeddings; send the request again.')
    },
  }
}
