import type { BudgetSums } from '../../core/budget.ts'
import type { UsageLog } from '../../core/ports/usage-log.ts'
import type { UsageDay, UsageEntry } from '../../core/usage.ts'

type Options = { readonly signal: AbortSignal }

/** The books in memory: sums by day, account and model, kept with each entry, so that nobody waits for all of them to be added up. */
export class MemoryUsageLog implements UsageLog {
  readonly #days = new Map<string, UsageDay>()
  #notRolledUp = 0
  readonly #onSettled: (reservation: string) => void

  /** @param onSettled Told of the reservation that an entry takes the place of, in the same turn. */
  constructor(onSettled: (reservation: string) => void) {
    this.#onSettled = onSettled
  }

  /** Tokens and images of an account from one UTC day on. */
  used(accountId: string, from: string): BudgetSums {
    const days = [...this.#days.values()].filter((sum) => sum.day >= from && sum.accountId === accountId)
    return {
      tokens: days.reduce((sum, { promptTokens, completionTokens }) => sum + promptTokens + completionTokens, 0),
      images: days.reduce((sum, { images }) => sum + images, 0),
    }
  }

  async append(entry: UsageEntry, { signal, settles }: Options & { readonly settles?: string }): Promise<void> {
    signal.throwIfAborted()
    if (settles !== undefined) this.#onSettled(settles)
    this.book(entry)
  }

  /** Called when an inference completes. */
  book(entry: UsageEntry): void {
    const day = new Date(entry.at).toISOString().slice(0, 10)
    const key = JSON.stringify([day, entry.accountId, entry.model])
    const sum = this.#days.get(key)
    this.#notRolledUp++
    this.#days.set(key, {
      day,
      accountId: entry.accountId,
      model: entry.model,
      requests: (sum?.requests ?? 0) + 1,
      failures: (sum?.failures ?? 0) + (entry.outcome === 'failed' ? 1 : 0),
      promptTokens: (sum?.promptTokens ?? 0) + entry.promptTokens,
      completionTokens: (sum?.completionTokens ?? 0) + entry.completionTokens,
      images: (sum?.images ?? 0) + entry.images,
    })
  }

  async rollUp({ signal }: Options): Promise<number> {
    signal.throwIfAborted()
    const entries = this.#notRolledUp
    this.#notRolledUp = 0
    return entries
  }

  async summarize(
    { accountId, from, to }: { readonly accountId: string | null; readonly from: string; readonly to: string },
    { signal }: Options,
  ): Promise<readonly UsageDay[]> {
    signal.throwIfAborted()
    return [...this.#days]
      .filter(([, sum]) => sum.day >= from && sum.day <= to && (accountId ?? sum.accountId) === sum.accountId)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([, sum]) => sum)
  }
}
