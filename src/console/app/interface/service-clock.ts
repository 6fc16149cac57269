import { signal } from '@preact/signals'

/** Closer together than this, the two clocks are the same: an answer's date has whole seconds, and takes a while to come. */
const sameMs = 30_000

/** By how many milliseconds the service's clock is ahead of the browser's. */
const ahead = signal(0)

/** Notes what time it is for the service, which counts by its own clock. */
export function readServiceClock(response: Pick<Response, 'headers'>): void {
  const date = Date.parse(response.headers.get('date') ?? '')
  if (Number.isNaN(date)) return
  const difference = date - Date.now()
  if (Math.abs(difference - ahead.peek()) > sameMs) ahead.value = Math.abs(difference) < sameMs ? 0 : difference
}

/** The time by the service's clock, in Unix milliseconds. */
export function serviceNow(): number {
  return Date.now() + ahead.value
}
