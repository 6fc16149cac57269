import type { NumberedRequest, RequestLog, RequestLogQuery } from '../../core/ports/request-log.ts'
import type { RequestRecord } from '../../core/requests/request-record.ts'

type Options = { readonly signal: AbortSignal }

/** Requests of a store in memory. */
export class MemoryRequestLog implements RequestLog {
  #records: readonly NumberedRequest[] = []
  #last = 0

  async append(records: readonly RequestRecord[], { signal }: Options): Promise<void> {
    signal.throwIfAborted()
    this.#records = [...this.#records, ...records.map((record) => ({ ...structuredClone(record), number: ++this.#last }))]
  }

  async list(query: RequestLogQuery, { signal }: Options): Promise<readonly NumberedRequest[]> {
    signal.throwIfAborted()
    const { accountId, search, kind, deferred, ids, before, limit } = query
    return this.#records
      .filter((record) => accountId === null || record.accountId === accountId)
      .filter((record) => kind === null || record.kind === kind)
      .filter((record) => deferred === null || (record.result === null) === deferred)
      .filter((record) => ids === null || ids.includes(record.id))
      .filter((record) => search === null || record.asked?.excerpt.toLowerCase().includes(search.toLowerCase()) === true)
      .filter(({ number }) => before === null || number < before)
      .toReversed()
      .slice(0, limit)
  }

  async expire({ words, all }: { readonly words: number; readonly all: number }, { signal }: Options): Promise<void> {
    signal.throwIfAborted()
    this.#records = this.#records.filter(({ at }) => at > all).map((record) => (record.at > words ? record : { ...record, asked: null }))
  }
}
