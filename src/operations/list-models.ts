import type { ModelDescriptor } from '../core/model.ts'
import type { ModelCatalog } from '../core/ports/model-catalog.ts'
import type { ModelPool, ModelState } from '../core/ports/model-pool.ts'

/** A model with its state; `state` is null before its first use. */
export interface ListedModel {
  readonly descriptor: ModelDescriptor
  readonly state: ModelState | null
  /**
   * Maximum tokens of prompt and answer together: from the loaded model, else from `model.json`, else from its file; null for image models
   * or if unknown.
   */
  readonly contextLength: number | null
}

/** All installed models with their states. */
export function listModels({ catalog, pool }: { readonly catalog: ModelCatalog; readonly pool: ModelPool }): readonly ListedModel[] {
  const states = new Map(pool.states().map((state) => [state.modelId, state]))
  return catalog.list().map((descriptor) => {
    const state = states.get(descriptor.id) ?? null
    return { descriptor, state, contextLength: contextLengthOf(descriptor, state) }
  })
}

function contextLengthOf(descriptor: ModelDescriptor, state: ModelState | null): number | null {
  return descriptor.kind === 'image' ? null : (state?.contextLength ?? descriptor.contextLength ?? descriptor.trainedLength ?? null)
}
