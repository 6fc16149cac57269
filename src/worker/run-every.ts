import type { Clock } from '../core/ports/clock.ts'

export interface Duty {
  /** Names the duty in the log. */
  readonly name: string
  readonly everyMs: number
  readonly run: (options: { readonly signal: AbortSignal }) => Promise<void>
}

/** Does a duty at once and then again and again until the signal aborts; a failure never ends it. */
export async function runEvery(
  { clock, onFault }: { readonly clock: Clock; readonly onFault: (duty: string, error: unknown) => void },
  { name, everyMs, run }: Duty,
  options: { readonly signal: AbortSignal },
): Promise<void> {
  const { signal } = options
  while (!signal.aborted) {
    await run(options).catch((error: unknown) => {
      if (!signal.aborted) onFault(name, error)
    })
    await clock.wait(everyMs, options).catch(() => {})
  }
}
