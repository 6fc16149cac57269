import type { FastifyInstance } from 'fastify'
import type { Clock } from '../core/ports/clock.ts'
import type { Worker } from '../worker/start-worker.ts'

/**
 * Ends a service that takes no new work any more: deferred work goes back to the queue at once, answers in
 * progress get the grace time, and what is left after it is cut off.
 */
export async function stopServing(
  { server, worker, clock }: { readonly server: FastifyInstance; readonly worker: Worker; readonly clock: Clock },
  { graceMs }: { readonly graceMs: number },
): Promise<void> {
  const done = new AbortController()
  const closed = server.close().finally(() => done.abort())
  const cutOff = clock.wait(graceMs, { signal: done.signal }).then(
    () => server.server.closeAllConnections(),
    () => {},
  )
  await Promise.all([worker.drain(), closed, cutOff])
}
