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
