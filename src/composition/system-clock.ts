import type { Clock } from '../core/ports/clock.ts'

/** Maximum delay of a timer; longer waits are split. */
const longestTimerMs = 2 ** 31 - 1

/** The machine's own time. */
export function createSystemClock(): Clock {
  return {
    now: () => Date.now(),
    steadyNow: () => Math.floor(performance.now()),
    async wait(ms, { signal }) {
      for (let left = ms; left > longestTimerMs; left -= longestTimerMs) await waitOnce(longestTimerMs, signal)
      await waitOnce(ms > longestTimerMs ? ms % longestTimerMs : ms, signal)
    },
  }
}

/** A monotonic clock that starts at 0 with the process. */
export function createSteadyClock(): Clock {
  return { ...createSystemClock(), now: () => performance.now() }
}

function waitOnce(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason)
    const stop = () => {
      clearTimeout(timer)
      reject(signal.reason)
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop)
      resolve()
    }, ms)
    signal.addEventListener('abort', stop, { once: true })
  })
}
