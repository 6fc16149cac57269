import { type BudgetSubject, type BudgetSums, budgetStarts, type UsedSums } from '../../core/limits/budget.ts'
import { latencyBucket } from '../../core/limits/latency.ts'
import type { Clock } from '../../core/ports/clock.ts'
import type { UsageLog } from '../../core/ports/usage-log.ts'
import {
  firstHourDay,
  keyOfSum,
  type UsageDay,
  type UsageDimension,
  type UsageEntry,
  type UsageQuestion,
  type UsageSum,
} from '../../core/usage.ts'

type Options = { readonly signal: AbortSignal }

/** The books in memory: sums by day, account, token and model, kept with each entry, so that nobody waits for all of them to be added up. */
export class MemoryUsageLog implements UsageLog {
  readonly #days = new Map<string, UsageDay & { readonly tokenId: string | null }>()
  /** Sums by every dimension there is. */
  readonly #fine = new Map<string, FineSum>()
  /** Entries of this minute. */
  #recent: UsageEntry[] = []
  #notRolledUp = 0
  #hoursFrom = ''
  readonly #clock: Clock
  readonly #onSettled: (reservation: string) => void

  /** @param onSettled Told of the reservation that an entry takes the place of, in the same turn. */
  constructor(clock: Clock, onSettled: (reservation: string) => void) {
    this.#clock = clock
    this.#onSettled = onSettled
  }

  /** What an account or a token has used in this minute, day and month. */
  used(of: BudgetSubject, id: string): BudgetSums['used'] {
    const { minute, day, month } = budgetStarts(this.#clock.now())
    const isOwn = (each: { readonly accountId: string; readonly tokenId: string | null }) => each[`${of}Id`] === id
    const days = [...this.#days.values()].filter((sum) => sum.day >= month && isOwn(sum))
    return {
      minute: add(this.#recent.filter((entry) => entry.at >= minute && isOwn(entry))),
      day: add(days.filter((sum) => sum.day >= day)),
      month: add(days),
    }
  }

  async append(
    entry: UsageEntry,
    { signal, settles, again = false }: Options & { readonly settles?: string; readonly again?: boolean },
  ): Promise<void> {
    signal.throwIfAborted()
    if (settles !== undefined) this.#onSettled(settles)
    if (!again || !this.#recent.some((each) => JSON.stringify(each) === JSON.stringify(entry))) this.book(entry)
  }

  /** Called when an inference completes. */
  book(entry: UsageEntry): void {
    this.#bookFine(entry)
    const { minute } = budgetStarts(this.#clock.now())
    if (this.#recent[0] !== undefined && this.#recent[0].at < minute) this.#recent = this.#recent.filter(({ at }) => at >= minute)
    this.#recent.push(entry)
    const day = new Date(entry.at).toISOString().slice(0, 10)
    const { accountId, tokenId, model } = entry
    const key = JSON.stringify([day, accountId, model, tokenId])
    const sum = this.#days.get(key)
    this.#notRolledUp++
    this.#days.set(key, {
      day,
      accountId,
      tokenId,
      model,
      requests: (sum?.requests ?? 0) + 1,
      failures: (sum?.failures ?? 0) + (entry.outcome === 'failed' ? 1 : 0),
      refusals: (sum?.refusals ?? 0) + (entry.outcome === 'refused' ? 1 : 0),
      promptTokens: (sum?.promptTokens ?? 0) + entry.promptTokens,
      completionTokens: (sum?.completionTokens ?? 0) + entry.completionTokens,
      images: (sum?.images ?? 0) + entry.images,
      cost: (sum?.cost ?? 0) + entry.cost,
    })
  }

  async rollUp({ signal }: Options): Promise<number> {
    signal.throwIfAborted()
    const now = this.#clock.now()
    const { minute } = budgetStarts(now)
    this.#hoursFrom = firstHourDay(now)
    const left = this.#recent.filter(({ at }) => at >= minute).length
    const entries = this.#notRolledUp - left
    this.#notRolledUp = left
    return entries
  }

  async summarize(
    { accountId, from, to }: { readonly accountId: string | null; readonly from: string; readonly to: string },
    { signal }: Options,
  ): Promise<readonly UsageDay[]> {
    signal.throwIfAborted()
    const sums = new Map<string, UsageDay>()
    for (const { tokenId: _, ...each } of this.#days.values()) {
      if (each.day < from || each.day > to || (accountId ?? each.accountId) !== each.accountId) continue
      const key = JSON.stringify([each.day, each.accountId, each.model])
      const sum = sums.get(key)
      sums.set(key, sum === undefined ? each : addDays(sum, each))
    }
    return [...sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, sum]) => sum)
  }

  async report({ accountId, from, to, by }: UsageQuestion, { signal }: Options): Promise<readonly UsageSum[]> {
    signal.throwIfAborted()
    const chosen = [...this.#fine.values()].filter(
      ({ keys: { account, day } }) =>
        (accountId === null || account === accountId) && day >= from && day <= to && (!by.includes('hour') || day >= this.#hoursFrom),
    )
    const groups = Map.groupBy(chosen, ({ keys }) => keyOfSum(by, keys))
    return [...groups]
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([, sums]) => mergeSums(Object.fromEntries(by.map((dimension) => [dimension, sums[0]?.keys[dimension] ?? ''])), sums))
  }

  #bookFine(entry: UsageEntry): void {
    const moment = new Date(entry.at).toISOString()
    const [day, hour] = [moment.slice(0, 10), moment.slice(0, 13)]
    const keys = { account: entry.accountId, token: entry.tokenId ?? '', model: entry.model, day, hour }
    const key = JSON.stringify(Object.values(keys))
    const sum = this.#fine.get(key) ?? { keys, entries: [] }
    sum.entries.push(entry)
    this.#fine.set(key, sum)
  }
}

interface FineSum {
  readonly keys: Readonly<Record<UsageDimension, string>>
  readonly entries: UsageEntry[]
}

function mergeSums(keys: UsageSum['keys'], sums: readonly FineSum[]): UsageSum {
  const entries = sums.flatMap((sum) => sum.entries)
  const total = (count: (entry: UsageEntry) => number) => entries.reduce((sum, entry) => sum + count(entry), 0)
  const histogram = (latencies: readonly number[]) =>
    [...Map.groupBy(latencies, latencyBucket)].map(([bucket, held]) => [bucket, held.length] as const).sort(([one], [other]) => one - other)
  return {
    keys,
    requests: entries.length,
    failures: total(({ outcome }) => (outcome === 'failed' ? 1 : 0)),
    refusals: total(({ outcome }) => (outcome === 'refused' ? 1 : 0)),
    promptTokens: total(({ promptTokens }) => promptTokens),
    completionTokens: total(({ completionTokens }) => completionTokens),
    images: total(({ images }) => images),
    cost: total(({ cost }) => cost),
    latency: histogram(entries.map(({ durationMs }) => durationMs)),
    firstToken: histogram(entries.flatMap(({ firstTokenMs }) => firstTokenMs ?? [])),
  }
}

function addDays(one: UsageDay, other: UsageDay): UsageDay {
  return {
    ...one,
    requests: one.requests + other.requests,
    failures: one.failures + other.failures,
    refusals: one.refusals + other.refusals,
    promptTokens: one.promptTokens + other.promptTokens,
    completionTokens: one.completionTokens + other.completionTokens,
    images: one.images + other.images,
    cost: one.cost + other.cost,
  }
}

function add(entries: readonly Pick<UsageEntry, 'promptTokens' | 'completionTokens' | 'images' | 'cost'>[]): UsedSums {
  return entries.reduce<UsedSums>(
    (sum, { promptTokens, completionTokens, images, cost }) => ({
      tokens: sum.tokens + promptTokens + completionTokens,
      images: sum.images + images,
      money: sum.money + cost,
    }),
    { tokens: 0, images: 0, money: 0 },
  )
}
