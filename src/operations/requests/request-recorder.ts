import type { RequestLog } from '../../core/ports/request-log.ts'
import type { RequestRecord } from '../../core/requests/request-record.ts'
import type { UsageEntry } from '../../core/usage.ts'
import { neverAborted } from '../../core/waiting.ts'

/** Records that wait to be written; more are left out, for nobody's answer waits for them. */
const mostWaiting = 10_000
const mostAtOnce = 500

/**
 * Writes down what was asked without anybody waiting for it: what comes while a write is under way is the next one, so that
 * many requests cost few commits. A crash loses what was not written yet.
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

  /** Resolves when all is written that was recorded before. */
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

/** The record of a request whose caller waited: what the books say of it, and no words. */
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
