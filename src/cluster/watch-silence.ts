import type { Clock } from '../core/ports/clock.ts'

/** Ends what nobody speaks on any more. */
export interface SilenceWatch extends Disposable {
  /** The other side was heard. */
  onSign(): void
}

/** The limit may become shorter meanwhile. */
const lookEveryMs = 1000

/** Calls `onSilence` once when nothing was heard for `limitMs()`. */
export function watchSilence({ clock }: { readonly clock: Clock }, limitMs: () => number, onSilence: () => void): SilenceWatch {
  const stop = new AbortController()
  let receivedAt = clock.now()
  const watch = async () => {
    for (let left = limitMs(); left > 0; left = receivedAt + limitMs() - clock.now())
      await clock.wait(Math.min(left, lookEveryMs), { signal: stop.signal })
    onSilence()
  }
  watch().catch(() => {})
  return {
    onSign() {
      receivedAt = clock.now()
    },
    [Symbol.dispose]: () => stop.abort(),
  }
}

/** Does something every `everyMs`, for the first time after `firstMs`, until disposed of. */
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
