import type { ModelState } from '../core/ports/model-pool.ts'
import type { ResidentModel } from './residency-state.ts'

/** A model's state as the port shows it, with what its process tells about itself. */
export function describeState(model: ResidentModel, told: Pick<ModelState, 'memoryBytes' | 'contextLength' | 'device'>): ModelState {
  const { id, phase, slots, held, waiting } = model
  // While its process ends, a model still takes its memory.
  const state = phase.type === 'unloading' ? 'loaded' : phase.type
  return { modelId: id, state, ...told, slots, inUse: held.length, waiting: waiting.length }
}

/** Whether one more request would get a slot at once, or as soon as the model is loaded. */
export function hasRoom({ phase, slots, held, waiting }: ResidentModel): boolean {
  return phase.type !== 'backing-off' && held.length + waiting.length < slots
}
