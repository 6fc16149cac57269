import { chooseWaiter, serveWaiter } from './choose-waiter.ts'
import type { ModelPlan } from './model-plan.ts'
import type { Decision } from './residency-decision.ts'
import type { ResidentModel } from './residency-state.ts'

/** Hands out a loaded model's free slots, and tells who only wanted it loaded. */
export const grantSlots =
  (now: number) =>
  (model: ResidentModel): ModelPlan => {
    if (model.phase.type !== 'loaded' || model.wanted.length + model.waiting.length === 0) return { model, decisions: [] }
    const decisions: Decision[] = model.wanted.map((waiterId) => ({ type: 'grant', modelId: model.id, waiterId }))
    let served: ResidentModel = { ...model, wanted: [] }
    while (model.phase.draining === null && served.held.length < served.slots) {
      const waiter = chooseWaiter(served)
      if (waiter === undefined) break
      served = serveWaiter(served, waiter, now)
      decisions.push({ type: 'grant', modelId: model.id, waiterId: waiter.id })
    }
    return { model: served, decisions }
  }
