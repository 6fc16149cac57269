import { fitsMemory } from '../core/memory/memory-need.ts'
import type { ModelPlan } from './model-plan.ts'
import type { Decision, Refusal } from './residency-decision.ts'
import { memoryBudget, type ResidencyLimits } from './residency-limits.ts'
import type { ResidentModel, Waiter } from './residency-state.ts'
import { estimateRetryAfter, toSeconds } from './retry-after.ts'

/** Sends away who came when the queue was full, waited too long, came while the model keeps dying or is larger than all memory, or waits in a service that ends. */
export const refuseWaiters =
  (limits: ResidencyLimits, moment: Moment) =>
  (model: ResidentModel): ModelPlan => {
    if (model.waiting.length + model.wanted.length === 0) return { model, decisions: [] }
    const refuse = (waiterId: number, refusal: Refusal | undefined): Refused[] =>
      refusal === undefined ? [] : [{ type: 'refuse', modelId: model.id, waiterId, refusal }]
    const refused = [
      ...model.wanted.flatMap((id) => refuse(id, findGeneralRefusal(model, id, limits, moment))),
      ...model.waiting.flatMap((waiter, place) =>
        refuse(
          waiter.id,
          findGeneralRefusal(model, waiter.id, limits, moment) ?? findQueueRefusal(model, { waiter, place }, limits, moment),
        ),
      ),
    ]
    const gone = new Set(refused.map(({ waiterId }) => waiterId))
    const waiting = model.waiting.flatMap((waiter) =>
      gone.has(waiter.id) ? [] : [waiter.admitted ? waiter : { ...waiter, admitted: true }],
    )
    const wanted = model.wanted.filter((id) => !gone.has(id))
    return { model: { ...model, waiting, wanted }, decisions: refused }
  }

type Moment = { readonly now: number; readonly closing: boolean }
type Refused = Extract<Decision, { readonly type: 'refuse' }>

function findGeneralRefusal(
  { phase, memory }: ResidentModel,
  waiterId: number,
  limits: ResidencyLimits,
  { now, closing }: Moment,
): Refusal | undefined {
  if (closing) return { because: 'closing', retryAfterSeconds: 1 }
  if (phase.type === 'unloaded' && !fitsMemory(memory.least, memoryBudget(limits))) return { because: 'too-large', retryAfterSeconds: 1 }
  if (phase.type !== 'backing-off' || now >= phase.until || waiterId <= phase.keeps) return undefined
  return { because: phase.unloadable ? 'unloadable' : 'backing-off', retryAfterSeconds: toSeconds(phase.until - now) }
}

function findQueueRefusal(
  model: ResidentModel,
  { waiter, place }: { readonly waiter: Waiter; readonly place: number },
  { waitLimitMs }: ResidencyLimits,
  { now }: Moment,
): Refusal | undefined {
  if (now - waiter.since >= waitLimitMs) {
    const because = model.phase.type === 'loading' ? 'still-loading' : 'waited-too-long'
    return { because, retryAfterSeconds: estimateRetryAfter(model) }
  }
  // Those who will get a slot at once when the model comes back do not count as waiting.
  const serving = model.phase.type === 'loaded' && model.phase.draining === null
  const ahead = serving ? 0 : model.slots
  if (place >= model.queue + ahead) return { because: 'queue-full', retryAfterSeconds: estimateRetryAfter(model) }
  // The worker brings one at a time, whoever's it is.
  if (waiter.admitted || waiter.deferred || model.share >= model.queue) return undefined
  const own = model.waiting.slice(0, place).filter(({ account }) => account === waiter.account)
  return own.length < model.share + ahead
    ? undefined
    : { because: 'share-full', retryAfterSeconds: estimateRetryAfter({ ...model, waiting: own }) }
}
