import type { Clock } from '../core/ports/clock.ts'
import type { RequestLog } from '../core/ports/request-log.ts'
import { askedRetentionMs, requestRetentionMs } from '../core/requests/request-record.ts'

/** Forgets what was asked once its retention is over: the words first, then that it was asked at all. */
export async function expireRequests(
  { requests, clock }: { readonly requests: RequestLog; readonly clock: Clock },
  options: { readonly signal: AbortSignal },
): Promise<void> {
  const now = clock.now()
  await requests.expire({ words: now - askedRetentionMs, all: now - requestRetentionMs }, options)
}
