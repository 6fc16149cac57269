import type { Clock } from '../core/ports/clock.ts'

/** Detects a silent connection. */
export interface SilenceWatch extends Disposable {
  /** Call when the other side has sent something. */
  onSign(): void
}

/** Check interval, since the limit may become shorter meanwhile. */
const lookEveryMs = 1000

/** Calls `onSilence` once after `limitMs()` without a sign. */
export function watchSilence({ clock }: { readonly clock: Clock }, limitMs: () => number, onSilence: () => void): SilenceWatch {
  const stop = new AbortController()
  let receivedAt = clock.steadyNow()
  const watch = async () => {
    for (let left = limitMs(); left > 0; left = receivedAt + limitMs() - clock.steadyNow())
      await clock.wait(Math.min(left, lookEveryMs), { signal: stop.signal })
    onSilence()
  }
  watch().catch(() => {})
  return {
    onSign() {
      receivedAt = clock.steadyNow()
    },
    [Symbol.dispose]: () => stop.abort(),
  }
}

/** Repeats an action every `everyMs`, the first time after `firstMs`, until disposed of. */
export function repeat({ clock }: { readonly clock: Clock }, everyMs: number, act: () => void, firstMs = everyMs): Disposable {
  const stop = new AbortController()
  const run = async () => {
    for (let ms = firstMs; ; ms = everyMs) {
      await clock.wait(ms, { signal: stop.signal })
      act()
    }
  }
  run().catch(() => {})
  return { [Symbol.dispose]: () => stop.abort() }
}
