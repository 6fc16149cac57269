import { isIdle } from './make-room.ts'
import { leastResidentMs, type ResidencyLimits, reviewMs } from './residency-limits.ts'
import type { ResidencyState, ResidentModel } from './residency-state.ts'

/** When the planner must be asked again although nothing happens, in Unix milliseconds; Infinity for never. */
export function nextDeadline({ models, closing }: ResidencyState, limits: ResidencyLimits, now: number): number {
  // Leases may be given back after the end, and an alarm would keep the process alive.
  if (closing) return Number.POSITIVE_INFINITY
  const all = [...models.values()]
  const starved = all.some(({ phase, waiting, wanted }) => phase.type === 'unloaded' && waiting.length + wanted.length > 0)
  return Math.min(...all.flatMap((model) => listDeadlines(model, limits, { now, starved })))
}

function listDeadlines(
  model: ResidentModel,
  { idleUnloadMs, waitLimitMs }: ResidencyLimits,
  { now, starved }: { readonly now: number; readonly starved: boolean },
): number[] {
  const { phase, waiting, lastUsedAt } = model
  // Waiters stand in the order in which they came.
  const deadlines = waiting.slice(0, 1).map(({ since }) => since + waitLimitMs)
  if (phase.type === 'backing-off') deadlines.push(phase.until)
  if (phase.type !== 'loaded' || phase.draining !== null) return deadlines
  deadlines.push(now + reviewMs)
  if (idleUnloadMs !== null && isIdle(model)) deadlines.push(lastUsedAt + idleUnloadMs)
  const ripeAt = phase.since + leastResidentMs
  if (starved && ripeAt > now) deadlines.push(ripeAt)
  return deadlines
}
