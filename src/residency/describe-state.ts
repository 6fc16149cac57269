import type { ModelState } from '../core/ports/model-pool.ts'
import type { ResidentModel } from './residency-state.ts'

/** A model's state as the port shows it, with what its process tells about itself. */
export function describeState(
  model: ResidentModel,
  told: Pick<ModelState, 'memoryBytes' | 'contextLength' | 'cacheUse' | 'loadProgress' | 'device'>,
): ModelState {
  const { id, phase, slots, held, waiting } = model
  const oldest = waiting.length > 0 ? Math.min(...waiting.map(({ since }) => since)) : null
  // While its process ends, a model still takes its memory.
  const state = phase.type === 'unloading' ? 'loaded' : phase.type
  return {
    modelId: id,
    state,
    ...told,
    slots,
    inUse: held.length,
    waiting: waiting.length,
    ...(oldest !== null && { waitingSince: oldest }),
  }
}

/** Whether one more deferred run would get a slot at once, or as soon as the model is loaded, or may wait among callers who do. */
export function hasRoom({ phase, slots, held, waiting, queue }: ResidentModel): boolean {
  if (phase.type === 'backing-off') return false
  if (held.length + waiting.length < slots) return true
  return waiting.length > 0 && waiting.length < queue && !waiting.some(({ deferred }) => deferred)
}
