import type { UsageDay, UsageEntry, UsageQuestion, UsageSum } from '../usage.ts'

/** Books finished requests. */
export interface UsageLog {
  /**
   * Adds an entry; the sums below have it at once.
   *
   * @param options.id Of the work: what was set aside for it is given back in the same write.
   * @param options.again Whether an earlier call may have added it, whose answer was lost: it is added unless the same one is there.
   */
  append(entry: UsageEntry, options: { readonly signal: AbortSignal; readonly id?: string; readonly again?: boolean }): Promise<void>
  /** Sums per day and model between two UTC days, inclusive; `accountId` null = everybody. */
  summarize(
    query: { readonly accountId: string | null; readonly from: string; readonly to: string },
    options: { readonly signal: AbortSignal },
  ): Promise<readonly UsageDay[]>
  /**
   * Sums by any of the dimensions, in the order of their keys, with latencies. What was booked before tokens were noted counts only where neither tokens nor
   * hours are asked for.
   */
  report(question: UsageQuestion, options: { readonly signal: AbortSignal }): Promise<readonly UsageSum[]>
  /** Adds some of what was appended to the sums of its days and drops it, so that the log stays short; resolves with how many entries. */
  rollUp(options: { readonly signal: AbortSignal }): Promise<number>
}

type Options = { readonly signal: AbortSignal }

/** What all processes on one store count together, so that a bound holds however what it bounds is spread over them. */
export interface SharedCounts {
  /**
   * Takes up to `wanted` of what a minute has left for a subject.
   *
   * @param wanted.minute Whole minutes of Unix time; a subject's earlier minute is forgotten.
   * @param wanted.limit Of the minute, over all processes.
   * @returns What it got, and what the minute has left after that for everybody.
   */
  takeOfMinute(
    wanted: { readonly subject: string; readonly minute: number; readonly wanted: number; readonly limit: number },
    options: Options,
  ): Promise<{ readonly granted: number; readonly left: number }>
  /**
   * Keeps so many places of a subject for this process instead of those that it has; fewer where others keep the rest. They go with the process.
   *
   * @returns How many it keeps now.
   */
  keepPlaces(wanted: { readonly subject: string; readonly places: number; readonly limit: number }, options: Options): Promise<number>
}
