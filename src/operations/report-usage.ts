import { type Percentiles, percentilesOf } from '../core/limits/latency.ts'
import type { Store } from '../core/ports/store.ts'
import type { UsageQuestion, UsageSum } from '../core/usage.ts'
import type { Abortable } from '../core/waiting.ts'

/** A sum of usage with names and percentiles. */
export interface ReportedUsage extends Omit<UsageSum, 'latency' | 'firstToken'> {
  /** Names of the account and token, if known; the token's is empty for console sessions. */
  readonly accountName?: string | undefined
  readonly tokenName?: string | undefined
  /** Latency of whole requests in milliseconds; null = not measured. */
  readonly latency: Percentiles | null
  /** Until the first token. */
  readonly firstToken: Percentiles | null
}

/** Sums of usage by any dimensions, with names and percentiles. */
export async function reportUsage(
  { usage, accounts, tokens }: Pick<Store, 'usage' | 'accounts' | 'tokens'>,
  question: UsageQuestion,
  options: Abortable,
): Promise<readonly ReportedUsage[]> {
  const sums = await usage.report(question, options)
  const { accountId, by } = question
  const names = new Map<string, string>()
  if (by.includes('account') || (by.includes('token') && accountId === null))
    for (const { id, name } of await accounts.list(options)) names.set(id, name)
  if (by.includes('token'))
    for (const owner of accountId === null ? [...names.keys()] : [accountId])
      for (const { id, name } of await tokens.list(owner, options)) names.set(id, name)
  const nameOf = (id: string) => names.get(id) ?? id
  return sums.map(({ latency, firstToken, ...sum }) => ({
    ...sum,
    accountName: sum.keys.account === undefined ? undefined : nameOf(sum.keys.account),
    tokenName: sum.keys.token === undefined ? undefined : nameOf(sum.keys.token),
    latency: percentilesOf(latency),
    firstToken: percentilesOf(firstToken),
  }))
}
