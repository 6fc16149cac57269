import type { UsageDay, UsageEntry } from '../usage.ts'

/** Books finished requests. */
export interface UsageLog {
  /** @param options.settles The reservation that the entry takes the place of, in the same write. */
  append(entry: UsageEntry, options: { readonly signal: AbortSignal; readonly settles?: string }): Promise<void>
  /** Sums per day and model between two UTC days, inclusive; `accountId` null = everybody. */
  summarize(
    query: { readonly accountId: string | null; readonly from: string; readonly to: string },
    options: { readonly signal: AbortSignal },
  ): Promise<readonly UsageDay[]>
}
