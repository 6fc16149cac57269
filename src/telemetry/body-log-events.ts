import type { BodyDropReason } from '../core/requests/logged-body.ts'
import type { Telemetry } from './telemetry.ts'

/** A line for each of many would fill the log. */
const lineEveryMs = 10_000

/** Tells of bodies that are left out of the request log: each is counted, and every ten seconds one of each reason gets a line. */
export function observeBodyLog(
  { log, metrics }: Telemetry,
  clock: { now(): number },
): (drop: { readonly reason: BodyDropReason; readonly accountId: string }) => void {
  const lines = new Map<BodyDropReason, number>()
  return (drop) => {
    metrics.bodiesDropped.add([drop.reason])
    const now = clock.now()
    if (now < (lines.get(drop.reason) ?? 0)) return
    lines.set(drop.reason, now + lineEveryMs)
    log.warn(drop, 'a body was left out of the request log')
  }
}
