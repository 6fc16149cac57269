/** The option of every call that may take long: the signal aborts when its result is no longer wanted. */
export type Abortable = { readonly signal: AbortSignal }

/** Options for work that must finish even if the caller is gone. */
export const neverAborted: Abortable = { signal: new AbortController().signal }

/** Resolves like the promise, or rejects with the signal's reason as soon as it aborts; the promise itself is not cancelled. */
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
 * Resolves with the first outcome and aborts the signal passed to the others.
 *
 * @throws The reason of `signal`, through the tasks that observe it.
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

/** Handles items side by side. After a failure the others are aborted, and it is thrown when all have ended. */
export async function besides<Item, Result>(
  signal: AbortSignal,
  items: Iterable<Item>,
  handle: (item: Item, signal: AbortSignal) => Promise<Result>,
): Promise<readonly Result[]> {
  const stop = new AbortController()
  const either = AbortSignal.any([signal, stop.signal])
  const all = Array.from(items, async (item) => {
    try {
      return await handle(item, either)
    } catch (error) {
      stop.abort(error)
      throw error
    }
  })
  await Promise.allSettled(all)
  stop.signal.throwIfAborted()
  return Promise.all(all)
}

/** A thing that is opened on first use and kept. A failure is not kept: the next use tries again. */
export class OnDemand<Thing> {
  readonly #open: () => Promise<Thing>
  #thing: Promise<Thing> | null = null

  constructor(open: () => Promise<Thing>) {
    this.#open = open
  }

  get(): Promise<Thing> {
    if (this.#thing !== null) return this.#thing
    const thing = this.#open()
    this.#thing = thing
    thing.catch(() => {
      this.#thing = null
    })
    return thing
  }

  /** What is open, after waiting for an opening in progress; null = nothing. */
  async opened(): Promise<Thing | null> {
    return (await this.#thing?.catch(() => null)) ?? null
  }
}
