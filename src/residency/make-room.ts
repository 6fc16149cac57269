import { addMemory, beyondMemory, fitsMemory, leastMemory, type MemoryNeed, noMemory } from '../core/memory/memory-need.ts'
import { leastResidentMs } from './residency-limits.ts'
import type { ResidencyState, ResidentModel, UnloadReason } from './residency-state.ts'

/** What the planner knows of the outside at one moment. */
export interface Facts {
  /** Unix milliseconds. */
  readonly now: number
  /** What each loaded model takes. */
  readonly memory: ReadonlyMap<string, MemoryNeed>
}

/** Whether a model can be loaded now; else which models must go first, idle ones now, busy ones after their leases. */
export interface Room {
  readonly fits: boolean
  readonly leaving: readonly ResidentModel[]
}

/** Finds memory for a model, or with `wanted` null for the budget itself. */
export function makeRoom(state: ResidencyState, wanted: ResidentModel | null, budget: MemoryNeed, { now, memory }: Facts): Room {
  const size = (model: ResidentModel) => memory.get(model.id) ?? model.memory.expected
  const resident = [...state.models.values()].filter(({ phase }) => ['loading', 'loaded', 'unloading'].includes(phase.type))
  const used = resident.reduce((sum, model) => addMemory(sum, size(model)), noMemory)
  // A model over the whole budget is tried alone: the estimate may be wrong, the operator's wish is not.
  const needed = wanted === null ? noMemory : leastMemory(wanted.memory.expected, budget)
  const together = addMemory(used, needed)
  if (fitsMemory(together, budget) || resident.length === 0) return { fits: true, leaving: [] }

  const going = resident.filter(({ phase }) => phase.type === 'unloading' || (phase.type === 'loaded' && phase.draining !== null))
  let staying = going.reduce((sum, model) => beyondMemory(sum, size(model)), together)
  const leaving: ResidentModel[] = []
  for (const victim of listVictims(resident, wanted, now)) {
    if (fitsMemory(staying, budget)) break
    if (!frees(size(victim), staying, budget)) continue
    leaving.push(victim)
    staying = beyondMemory(staying, size(victim))
  }
  return { fits: false, leaving }
}

/** Whether something of what is short is in the victim. */
function frees(size: MemoryNeed, staying: MemoryNeed, budget: MemoryNeed): boolean {
  const excess = beyondMemory(staying, budget)
  return (excess.processorBytes > 0 && size.processorBytes > 0) || (excess.gpuBytes > 0 && size.gpuBytes > 0)
}

/** Idle models, the longest unused first, then (only for another model's sake) busy ones that have had their time. */
function listVictims(resident: readonly ResidentModel[], wanted: ResidentModel | null, now: number): ResidentModel[] {
  const byAge = resident
    .filter(({ phase }) => phase.type === 'loaded' && phase.draining === null)
    .toSorted((a, b) => a.lastUsedAt - b.lastUsedAt)
  const idle = byAge.filter(isIdle)
  if (wanted === null) return idle
  const busy = byAge.filter((model) => !isIdle(model) && model.phase.type === 'loaded' && now - model.phase.since >= leastResidentMs)
  return [...idle, ...busy]
}

/** Whether nobody uses a model or waits for it. */
export function isIdle({ held, waiting, wanted }: ResidentModel): boolean {
  return held.length === 0 && waiting.length === 0 && wanted.length === 0
}

/** The model without new slots: it goes with its last lease. */
export function drain(model: ResidentModel, reason: UnloadReason): ResidentModel {
  if (model.phase.type !== 'loaded' || model.phase.draining !== null) return model
  return { ...model, phase: { ...model.phase, draining: reason } }
}
