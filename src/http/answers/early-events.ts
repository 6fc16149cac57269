import type { Clock } from '../../core/ports/clock.ts'

/** How long an answer may begin with nothing, and how often a sign of life follows. */
const [silentMs, pingMs] = [5000, 10_000]

/** Whether a promise is still open when a stream has to begin; one that fails before throws its reason. */
export async function isLate(clock: Clock, first: Promise<unknown>): Promise<boolean> {
  return (await orLate(clock, silentMs, first)) === late
}

/**
 * Events with a sign of life between them every ten seconds, until what they wait for has come.
 *
 * @param ping What says that the service is at work, a comment or an event without meaning.
 * @param first What the events wait for, whether it comes or fails.
 */
export async function* pingUntil(
  { clock, ping, first }: { readonly clock: Clock; readonly ping: string; readonly first: Promise<unknown> },
  events: AsyncGenerator<string, void, undefined>,
): AsyncGenerator<string, void, undefined> {
  let hasCome = false
  const come = (): void => {
    hasCome = true
  }
  first.then(come, come)
  try {
    let next = events.next()
    while (!hasCome) {
      const event = await orLate(clock, pingMs, next)
      if (event === late) {
        yield ping
        continue
      }
      if (event.done) return
      yield event.value
      next = events.next()
    }
    const event = await next
    if (event.done) return
    yield event.value
    yield* events
  } finally {
    await events.return()
  }
}

const late: unique symbol = Symbol('late')

/** What is waited for, or that it has not come in time. */
async function orLate<Value>(clock: Clock, ms: number, awaited: Promise<Value>): Promise<Value | typeof late> {
  const stop = new AbortController()
  try {
    return await Promise.race([awaited, clock.wait(ms, { signal: stop.signal }).then((): typeof late => late)])
  } finally {
    stop.abort()
  }
}
