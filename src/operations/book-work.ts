import { type ErrorCode, ServiceError } from '../core/error.ts'
import { outcomeOfFailure } from '../core/usage.ts'
import { unstoppable } from '../core/waiting.ts'
import type { InteractiveDependencies } from './interactive-dependencies.ts'
import type { UsageMeter } from './usage-meter.ts'

export interface BookedWork {
  readonly meter: UsageMeter
  /** What may be set aside for it; null = nothing is. */
  readonly reservation: string | null
  /** What ended it early. */
  readonly failure: unknown
}

/** Writes work whose caller waits into the books, in the place of what was set aside for it, however it ended, before it began too. The answer does not wait for their commit, which takes a millisecond, nor fail with it. */
export function bookWork(
  { usage, onEnded, onBooked, onFault }: Pick<InteractiveDependencies, 'usage' | 'onEnded' | 'onBooked' | 'onFault'>,
  { meter, reservation, failure }: BookedWork,
  { signal }: { readonly signal: AbortSignal },
): void {
  const entry = meter.entry(meter.finished ? 'succeeded' : signal.aborted ? 'cancelled' : outcomeOfFailure(codeOf(failure)))
  onEnded?.(entry)
  // The request's own signal may be aborted already; the books are written all the same.
  usage
    .append(entry, { ...unstoppable, ...(reservation !== null && { settles: reservation }) })
    .then(() => onBooked(entry))
    .catch((error) => onFault(error))
}

function codeOf(failure: unknown): ErrorCode | null {
  return failure instanceof ServiceError ? failure.code : null
}
