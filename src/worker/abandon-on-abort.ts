/** The promise's result, or the signal's reason as soon as it aborts; what the promise does afterwards is not waited for. */
export async function abandonOnAbort<Result>(promise: Promise<Result>, signal: AbortSignal): Promise<Result> {
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
