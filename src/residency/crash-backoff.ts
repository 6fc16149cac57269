/** A process that lived this long does not count as crashing in a row. */
const stableMs = 60_000
const firstPauseMs = 500
const longestPauseMs = 60_000

/** Crashes in a row, after one more by a process that lived for `livedMs` and has `served` requests to their end, or has not. */
export function countCrash(crashesBefore: number, { livedMs, served }: { readonly livedMs: number; readonly served: boolean }): number {
  return served || livedMs >= stableMs ? 1 : crashesBefore + 1
}

/**
 * The pause after so many crashes in a row: half a second, doubled by each, at most a minute.
 * A model that could be loaded comes back from its first crash without one.
 */
export function backoffMs(crashes: number, { loaded }: { readonly loaded: boolean }): number {
  const pauses = loaded ? crashes - 1 : crashes
  return pauses === 0 ? 0 : Math.min(longestPauseMs, firstPauseMs * 2 ** (pauses - 1))
}
