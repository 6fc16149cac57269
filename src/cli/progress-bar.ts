import { formatBytes } from '../core/byte-size.ts'
import type { Terminal } from './terminal.ts'

const quietMs = 2_000
const redrawMs = 100
const width = 30

export type ReportProgress = (done: number, total: number) => void

/** Window in seconds for measuring the rate. */
const rateSeconds = 10

/** A progress bar on standard error for actions longer than two seconds, only in terminals; disposing clears the line. */
export function openProgressBar(
  { terminal, now }: { readonly terminal: Pick<Terminal, 'err' | 'interactive'>; readonly now: () => number },
  label: string,
  { bytes = false }: { readonly bytes?: boolean } = {},
): { readonly report: ReportProgress } & Disposable {
  const startedAt = now()
  const rate = bytes ? new Rate() : null
  let drawnAt = Number.NEGATIVE_INFINITY
  return {
    report: (done, total) => {
      const time = now()
      rate?.add(time, done)
      if (!terminal.interactive || total <= 0 || time - startedAt < quietMs || time - drawnAt < redrawMs) return
      drawnAt = time
      const share = Math.min(1, done / total)
      const filled = Math.round(share * width)
      terminal.err(
        `\r${label} ${'█'.repeat(filled)}${'░'.repeat(width - filled)} ${Math.floor(share * 100)} %${rate?.describe(total - done) ?? ''}\u001b[K`,
      )
    },
    [Symbol.dispose]: () => {
      if (drawnAt !== Number.NEGATIVE_INFINITY) terminal.err('\r\u001b[2K')
    },
  }
}

/** Bytes per second within the window. */
class Rate {
  readonly #points: { readonly time: number; readonly done: number }[] = []

  add(time: number, done: number): void {
    this.#points.push({ time, done })
    while ((this.#points[0]?.time ?? time) < time - rateSeconds * 1000) this.#points.shift()
  }

  /** The rate and the remaining time; empty until both are known. */
  describe(left: number): string {
    const [first, last] = [this.#points[0], this.#points.at(-1)]
    if (first === undefined || last === undefined || last.time === first.time || last.done <= first.done) return ''
    const perSecond = ((last.done - first.done) / (last.time - first.time)) * 1000
    return `  ${formatBytes(Math.round(perSecond))}/s, ${printTime(left / perSecond)} left`
  }
}

function printTime(seconds: number): string {
  if (seconds < 60) return `${Math.ceil(seconds)} s`
  return seconds < 5400 ? `${Math.ceil(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`
}

const spinnerDelayMs = 500
const turnMs = 100
const frames = '⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏'

/**
 * A spinner on standard error with the elapsed seconds, for actions longer than half a second without progress, only in terminals;
 * disposing clears the line.
 */
export function openSpinner({ err, interactive }: Pick<Terminal, 'err' | 'interactive'>, label: string): Disposable {
  let turns = 0
  const draw = () => {
    turns += 1
    const ms = turns * turnMs
    if (ms > spinnerDelayMs) err(`\r${frames[turns % frames.length]} ${label} … ${Math.floor(ms / 1000)} s\u001b[K`)
  }
  const timer = interactive ? setInterval(draw, turnMs) : undefined
  return {
    [Symbol.dispose]: () => {
      clearInterval(timer)
      if (turns * turnMs > spinnerDelayMs) err('\r\u001b[2K')
    },
  }
}
