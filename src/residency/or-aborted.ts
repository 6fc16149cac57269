/** What the promise resolves to, or the signal's reason once it is aborted. */
export function orAborted(promise: Promise<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason)
    const leave = () => reject(signal.reason)
    signal.addEventListener('abort', leave, { once: true })
    promise.then(resolve).finally(() => signal.removeEventListener('abort', leave))
  })
}
