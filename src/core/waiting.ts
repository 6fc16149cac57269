/** Options for what is done to its end whether or not somebody still wants it. */
export const neverAborted: { readonly signal: AbortSignal } = { signal: new AbortController().signal }

/** The promise's outcome, or the signal's reason as soon as it aborts; what the promise does afterwards is not waited for. */
export async function orAborted<Result>(promise: Promise<Result>, signal: AbortSignal): Promise<Result> {
  const left = Promise.withResolvers<never>()
  const leave = () => left.reject(signal.reason)
  if (signal.aborted) leave()
  signal.addEventListener('abort', leave, { once: true })
  try {
    return await Promise.race([promise, left.promise])
  } finally {
    signal.removeEventListener('abort', leave)
  }
}

/**
 * The outcome of whatever comes first; the others hear by the signal they were started with that nobody waits for them.
 *
 * @throws the reason of `signal`, by way of those who heed it.
 */
export async function firstOf<Result>(
  signal: AbortSignal,
  ...waits: readonly ((signal: AbortSignal) => Promise<Result>)[]
): Promise<Result> {
  const done = new AbortController()
  const either = AbortSignal.any([signal, done.signal])
  try {
    return await Promise.race(waits.map((wait) => wait(either)))
  } finally {
    done.abort()
  }
}
