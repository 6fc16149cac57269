import type { SharedCounts } from '../core/ports/usage-log.ts'

/**
 * Whether a minute is not the current one. The minute before still counts as current; an earlier one results from a clock that was set
 * back.
 */
function isOther(minute: number, present: number): boolean {
  return minute > present || minute < present - 1
}

/** Counters for a process that does not share its store. */
export function createLocalCounts(): SharedCounts {
  let present = 0
  let used = new Map<string, number>()
  return {
    async takeOfMinute({ subject, minute, wanted, limit }) {
      if (isOther(minute, present)) {
        used = new Map()
        present = minute
      }
      const before = used.get(subject) ?? 0
      const granted = Math.max(0, Math.min(wanted, limit - before))
      used.set(subject, before + granted)
      return { granted, left: Math.max(0, limit - before - granted) }
    },
    async keepPlaces({ places, limit }) {
      return Math.min(places, limit)
    },
  }
}
