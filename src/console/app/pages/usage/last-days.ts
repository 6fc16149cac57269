const dayMs = 24 * 60 * 60 * 1000

/** The last `count` UTC days up to and with today, oldest first, as `YYYY-MM-DD`. */
export function lastDays(count: number, now: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => new Date(now - (count - 1 - index) * dayMs).toISOString().slice(0, 10))
}
