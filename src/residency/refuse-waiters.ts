import type { ModelPlan } from './plan-residency.ts'
import type { Refusal } from './residency-decision.ts'
import type { ResidencyLimits } from './residency-limits.ts'
import type { ResidentModel } from './residency-state.ts'
import { estimateRetryAfter, toSeconds } from './retry-after.ts'

/** Sends away who came when the queue was full, waited too long, came while the model keeps dying, or waits in a service that ends. */
export const refuseWaiters =
  (limits: ResidencyLimits, moment: { readonly now: number; readonly closing: boolean }) =>
  (model: ResidentModel): ModelPlan => {
    if (model.waiting.length + model.wanted.length === 0) return { model, decisions: [] }
    const refused = [...model.wanted, ...model.waiting.map(({ id }) => id)].flatMap((waiterId) => {
      const refusal = findRefusal(model, waiterId, limits, moment)
      return refusal === undefined ? [] : [{ type: 'refuse', modelId: model.id, waiterId, refusal } as const]
    })
    const gone = new Set(refused.map(({ waiterId }) => waiterId))
    const waiting = model.waiting.filter(({ id }) => !gone.has(id))
    const wanted = model.wanted.filter((id) => !gone.has(id))
    return { model: { ...model, waiting, wanted }, decisions: refused }
  }

function findRefusal(
  model: ResidentModel,
  waiterId: number,
  { waitLimitMs }: ResidencyLimits,
  { now, closing }: { readonly now: number; readonly closing: boolean },
): Refusal | undefined {
  if (closing) return { because: 'closing', retryAfterSeconds: 1 }
  if (model.phase.type === 'backing-off' && now < model.phase.until && waiterId > model.phase.keeps)
    return { because: 'backing-off', retryAfterSeconds: toSeconds(model.phase.until - now) }
  const place = model.waiting.findIndex(({ id }) => id === waiterId)
  const waiter = model.waiting[place]
  if (waiter === undefined) return undefined
  if (now - waiter.since >= waitLimitMs) return { because: 'waited-too-long', retryAfterSeconds: estimateRetryAfter(model) }
  // Those who will get a slot at once when the model comes back do not count as waiting.
  const serving = model.phase.type === 'loaded' && model.phase.draining === null
  const bound = model.queue + (serving ? 0 : model.slots)
  return place < bound ? undefined : { because: 'queue-full', retryAfterSeconds: estimateRetryAfter(model) }
}
