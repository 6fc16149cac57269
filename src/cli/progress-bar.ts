import type { Terminal } from './terminal.ts'

const quietMs = 2_000
const redrawMs = 100
const width = 30

export type ReportProgress = (done: number, total: number) => void

/** A bar on standard error for what takes more than two seconds, only where a person watches; disposing it clears the line. */
export function openProgressBar(
  { terminal, now }: { readonly terminal: Pick<Terminal, 'err' | 'interactive'>; readonly now: () => number },
  label: string,
): { readonly report: ReportProgress } & Disposable {
  const startedAt = now()
  let drawnAt = Number.NEGATIVE_INFINITY
  return {
    report: (done, total) => {
      const time = now()
      if (!terminal.interactive || total <= 0 || time - startedAt < quietMs || time - drawnAt < redrawMs) return
      drawnAt = time
      const share = Math.min(1, done / total)
      const filled = Math.round(share * width)
      terminal.err(`\r${label} ${'█'.repeat(filled)}${'░'.repeat(width - filled)} ${Math.floor(share * 100)} %`)
    },
    [Symbol.dispose]: () => {
      if (drawnAt !== Number.NEGATIVE_INFINITY) terminal.err('\r\u001b[2K')
    },
  }
}
