/** Options for what is done to its end whether or not somebody wants the work to stop. */
export const unstoppable = { signal: new AbortController().signal }
