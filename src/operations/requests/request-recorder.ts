import type { RequestLog } from '../../core/ports/request-log.ts'
import type { RequestRecord } from '../../core/requests/request-record.ts'
import type { UsageEntry } from '../../core/usage.ts'
import { neverAborted } from '../../core/waiting.ts'

/** Maximum number of waiting records; more are left out, since answers never wait for them. */
const mostWaiting = 10_000
const mostAtOnce = 500

/**
 * Records requests in the background. Records that arrive during a write form the next one, so that many requests need few commits. A crash
 * loses unwritten records.
 */
export class RequestRecorder implements AsyncDisposable {
  readonly #log: RequestLog
  readonly #onFault: (error: unknown) => void
  #waiting: RequestRecord[] = []
  #writing: Promise<void> | null = null

  constructor(log: RequestLog, { onFault }: { readonly onFault: (error: unknown) => void }) {
    this.#log = log
    this.#onFault = onFault
  }

  record(record: RequestRecord): void {
    if (this.#waiting.length >= mostWaiting) return
    this.#waiting.push(record)
    this.#writing ??= this.#write().finally(() => {
      this.#writing = null
    })
  }

  /** Resolves when all recorded requests are written. */
  async [Symbol.asyncDispose](): Promise<void> {
    while (this.#writing !== null) await this.#writing
  }

  async #write(): Promise<void> {
    while (this.#waiting.length > 0) {
      const records = this.#waiting.slice(0, mostAtOnce)
      this.#waiting = this.#waiting.slice(mostAtOnce)
      await this.#log.append(records, neverAborted).catch(this.#onFault)
    }
  }
}

/** The record of a synchronous request, made from its usage entry, without content. */
export function finishedRequest(id: string, entry: UsageEntry): RequestRecord {
  const { accountId, tokenId, kind, model, outcome, promptTokens, completionTokens, images, firstTokenMs } = entry
  const durationMs = Math.round(entry.durationMs)
  const result = {
    outcome,
    promptTokens,
    completionTokens,
    images,
    durationMs,
    firstTokenMs: firstTokenMs === null ? null : Math.round(firstTokenMs),
  }
  return { id, accountId, tokenId, kind, model, at: Math.round(entry.at) - durationMs, requested: null, result }
}
