import type { UsageLog } from '../../core/ports/usage-log.ts'
import type { UsageDay, UsageEntry } from '../../core/usage.ts'

type Options = { readonly signal: AbortSignal }

export class MemoryUsageLog implements UsageLog {
  readonly #days = new Map<string, UsageDay>()

  async append(entry: UsageEntry, { signal }: Options): Promise<void> {
    signal.throwIfAborted()
    const day = new Date(entry.at).toISOString().slice(0, 10)
    const key = JSON.stringify([day, entry.accountId, entry.model])
    const sum = this.#days.get(key)
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
