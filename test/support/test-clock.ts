import type { Clock } from '../../src/core/ports/clock.ts'

interface Sleeper {
  readonly due: number
  readonly wake: () => void
}

/** A clock that stands still until a test moves it. */
export interface TestClock extends Clock {
  /** Moves time on, waking every wait in the order in which it is due and letting its consequences run before the next. */
  advance(ms: number): Promise<void>
  /** Sets the time without waking anybody and without a change of the steady time, as an operator who corrects the machine's clock does. */
  jump(to: number): void
  /** Resolves as soon as at least `count` waits are pending. */
  waiting(count: number): Promise<void>
}

/** @param start Unix milliseconds; the default is an arbitrary fixed moment. */
export function createTestClock(start = Date.UTC(2026, 0, 1)): TestClock {
  let now = start
  let jumpedMs = 0
  const sleepers = new Set<Sleeper>()
  const watchers = new Set<{ readonly count: number; readonly resolve: () => void }>()

  const wakeNext = (until: number): boolean => {
    const [next] = [...sleepers].sort((a, b) => a.due - b.due)
    if (next === undefined || next.due > until) return false
    now = Math.max(now, next.due)
    sleepers.delete(next)
    next.wake()
    return true
  }

  return {
    now: () => now,
    steadyNow: () => now - start - jumpedMs,
    wait(ms, { signal }) {
      if (signal.aborted) return Promise.reject(signal.reason)
      return new Promise((resolve, reject) => {
        const stop = () => {
          sleepers.delete(sleeper)
          reject(signal.reason)
        }
        const sleeper: Sleeper = {
          due: now + ms,
          wake: () => {
            signal.removeEventListener('abort', stop)
            resolve()
          },
        }
        signal.addEventListener('abort', stop, { once: true })
        sleepers.add(sleeper)
        for (const watcher of watchers) if (sleepers.size >= watcher.count) watcher.resolve()
      })
    },
    async advance(ms) {
      const until = now + ms
      await settle()
      while (wakeNext(until)) await settle()
      now = Math.max(now, until)
    },
    jump(to) {
      jumpedMs += to - now
      now = to
    },
    async waiting(count) {
      if (sleepers.size >= count) return
      const { promise, resolve } = Promise.withResolvers<void>()
      const watcher = { count, resolve }
      watchers.add(watcher)
      await promise
      watchers.delete(watcher)
    },
  }
}

/** Lets everything run that is ready to run. */
async function settle(): Promise<void> {
  for (let round = 0; round < 3; round++) await new Promise((resolve) => setImmediate(resolve))
}
