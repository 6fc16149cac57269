import type { FindAsset } from '../../core/ports/asset-files.ts'
import type { TextModel } from '../../core/ports/text-model.ts'
import { somethingElse } from './engine-failure.ts'
import type { EngineProcess } from './engine-process.ts'

/** A text model that lives in an engine process; adapters are looked up on the machine that computes, when it begins. */
export function createTextProxy(engine: EngineProcess, { findAsset }: { readonly findAsset: FindAsset }): TextModel {
  return {
    device: engine.facts.device,
    contextLength: engine.facts.contextLength,
    figures: () => engine.figures,
    async *generate(request, { signal, account }) {
      const adapters = request.adapters?.map(({ name }) => findAsset('adapter', name)).filter((adapter) => adapter !== undefined)
      using call = engine.call({ type: 'generate', request, account, adapters }, { signal })
      for (let parts = await call.take(); parts.length > 0; parts = await call.take()) for (const part of parts) yield part
    },
    async countPrompt(request, { signal, account }) {
      using call = engine.call({ type: 'count', request, account }, { signal })
      const result = await call.result()
      if (typeof result === 'number') return result
      throw somethingElse('a count')
    },
    async embed(request, { signal }) {
      using call = engine.call({ type: 'embed', request }, { signal })
      const result = await call.result()
      if (typeof result === 'object' && 'vectors' in result) return result
      throw somethingElse('embeddings')
    },
    async rank(request, { signal }) {
      using call = engine.call({ type: 'rank', request }, { signal })
      const result = await call.result()
      if (typeof result === 'object' && 'scores' in result) return result
      throw somethingElse('scores')
    },
    async tokenize(request, { signal, account }) {
      using call = engine.call({ type: 'tokenize', request, account }, { signal })
      const result = await call.result()
      if (typeof result === 'object' && 'tokens' in result) return result
      throw somethingElse('tokens')
    },
    async detokenize(request, { signal }) {
      using call = engine.call({ type: 'detokenize', request }, { signal })
      const result = await call.result()
      if (typeof result === 'object' && 'text' in result) return result
      throw somethingElse('text')
    },
  }
}
