import { applyEvent } from './apply-event.ts'
import { grantSlots } from './grant-slots.ts'
import { drain, type Facts, isIdle, makeRoom } from './make-room.ts'
import type { ModelPlan } from './model-plan.ts'
import { refuseWaiters } from './refuse-waiters.ts'
import type { Decision } from './residency-decision.ts'
import type { PlannerEvent } from './residency-event.ts'
import { memoryBudget, type ResidencyLimits } from './residency-limits.ts'
import { type ResidencyState, type ResidentModel, withModel } from './residency-state.ts'

/** The state after an event, and what is to be done about it, in order. */
export interface Plan {
  readonly state: ResidencyState
  readonly decisions: readonly Decision[]
}

/** Decides everything about models in memory and slots: a pure function of what was, what happened and what is true now. */
export function planResidency(before: ResidencyState, event: PlannerEvent, limits: ResidencyLimits, facts: Facts): Plan {
  const decisions: Decision[] = []
  const perModel = (state: ResidencyState, step: (model: ResidentModel) => ModelPlan): ResidencyState => {
    let changed: Map<string, ResidentModel> | null = null
    for (const before of state.models.values()) {
      const { model, decisions: further } = step(before)
      decisions.push(...further)
      // Most steps change nothing, and every request asks twice.
      if (model === before) continue
      changed ??= new Map(state.models)
      changed.set(model.id, model)
    }
    return changed === null ? state : { ...state, models: changed }
  }

  let state = applyEvent(before, event, facts.now)
  state = perModel(state, grantSlots(facts.now))
  state = perModel(state, refuseWaiters(limits, { now: facts.now, closing: state.closing }))
  state = perModel(state, endBackoff(facts.now))
  state = perModel(state, drainIdle(limits, facts.now))
  state = holdBudget(state, limits, facts)
  state = loadWanted(state, limits, facts, decisions)
  state = perModel(state, unloadDrained)
  return { state, decisions }
}

const endBackoff =
  (now: number) =>
  (model: ResidentModel): ModelPlan => {
    const over = model.phase.type === 'backing-off' && model.phase.until <= now
    return { model: over ? { ...model, phase: { type: 'unloaded' } } : model, decisions: [] }
  }

const drainIdle =
  ({ idleUnloadMs }: ResidencyLimits, now: number) =>
  (model: ResidentModel): ModelPlan => {
    const due = idleUnloadMs !== null && isIdle(model) && now - model.lastUsedAt >= idleUnloadMs
    return { model: due ? drain(model, 'idle') : model, decisions: [] }
  }

/** Lets idle models go when those in memory have grown over the budget. */
function holdBudget(state: ResidencyState, limits: ResidencyLimits, facts: Facts): ResidencyState {
  return makeRoom(state, null, memoryBudget(limits), facts).leaving.reduce((now, model) => withModel(now, drain(model, 'memory')), state)
}

/** Loads the models somebody waits for, the longest wait first; the first that does not fit holds up the others. */
function loadWanted(before: ResidencyState, limits: ResidencyLimits, facts: Facts, decisions: Decision[]): ResidencyState {
  const firstWaiter = ({ waiting, wanted }: ResidentModel) => Math.min(...wanted, ...waiting.slice(0, 1).map(({ id }) => id))
  const queue = [...before.models.values()]
    .filter((model) => model.phase.type === 'unloaded' && firstWaiter(model) < Number.POSITIVE_INFINITY)
    .toSorted((a, b) => firstWaiter(a) - firstWaiter(b))
  let state = before
  for (const model of queue) {
    const { fits, leaving } = makeRoom(state, model, memoryBudget(limits), facts)
    if (!fits) return leaving.reduce((now, victim) => withModel(now, drain(victim, 'memory')), state)
    state = withModel(state, { ...model, phase: { type: 'loading' } })
    decisions.push({ type: 'load', modelId: model.id })
  }
  return state
}

function unloadDrained(model: ResidentModel): ModelPlan {
  const { phase, held } = model
  if (phase.type !== 'loaded' || phase.draining === null || held.length > 0) return { model, decisions: [] }
  const decision = { type: 'unload', modelId: model.id, reason: phase.draining } as const
  return { model: { ...model, phase: { type: 'unloading' } }, decisions: [decision] }
}
