/** Unix milliseconds as people and programs read them: `2026-11-21T12:00:00Z`; null stays null. */
export function isoTime(time: number): string
export function isoTime(time: number | null): string | null
export function isoTime(time: number | null): string | null {
  return time === null ? null : new Date(time).toISOString().replace(/\.\d+Z$/, 'Z')
}
