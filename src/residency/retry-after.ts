import type { ResidentModel } from './residency-state.ts'

/** The longest wait we ever ask for. */
const longestSeconds = 120

/** Whole seconds until the waiting requests should be done, by how long slots were held lately; 1 to 120. */
export function estimateRetryAfter({ waiting, slots, meanHeldMs }: Pick<ResidentModel, 'waiting' | 'slots' | 'meanHeldMs'>): number {
  return toSeconds((waiting.length * meanHeldMs) / slots)
}

/** Whole seconds for `Retry-After`, 1 to 120. */
export function toSeconds(ms: number): number {
  return Math.min(longestSeconds, Math.max(1, Math.ceil(ms / 1000)))
}
