import type { AcquireOptions, ModelLease, ModelPool } from '../../core/ports/model-pool.ts'
import type { TextModel } from '../../core/ports/text-model.ts'
import type { TextPart } from '../../core/text-generation.ts'
import type { Telemetry } from '../../telemetry/telemetry.ts'

/** The models of this machine, each token that they generate counted here, whichever node was asked for it and however it ends. */
export function countGenerated(pool: ModelPool, { metrics }: Telemetry): ModelPool {
  const acquireText = async (modelId: string, options: AcquireOptions): Promise<ModelLease<TextModel>> => {
    const lease = await pool.acquireText(modelId, options)
    const count = (tokens: number) => metrics.generatedTokens.add([modelId], tokens)
    return {
      model: { ...lease.model, generate: (request, asked) => countParts(lease.model.generate(request, asked), count) },
      [Symbol.asyncDispose]: () => lease[Symbol.asyncDispose](),
    }
  }
  return {
    acquireText,
    acquireImage: (modelId, options) => pool.acquireImage(modelId, options),
    hasRoom: (modelId) => pool.hasRoom(modelId),
    states: () => pool.states(),
    load: (modelId, options) => pool.load(modelId, options),
    unload: (modelId, options) => pool.unload(modelId, options),
  }
}

/** Counts a token for every part while they come, and what the model says it was at the end. */
async function* countParts(parts: AsyncIterable<TextPart>, count: (tokens: number) => void): AsyncGenerator<TextPart, void, undefined> {
  let counted = 0
  for await (const part of parts) {
    if (part.type === 'text' || part.type === 'thoughts' || part.type === 'tool-arguments') {
      counted += 1
      count(1)
    }
    if (part.type === 'finish') count(Math.max(0, part.usage.completionTokens - counted))
    yield part
  }
}
