import type { Server } from 'node:http'
import type { FastifyInstance } from 'fastify'
import type { Clock } from '../core/ports/clock.ts'
import { firstOf, neverAborted } from '../core/waiting.ts'
import type { Worker } from '../worker/start-worker.ts'

interface RunningService {
  readonly server: FastifyInstance
  readonly answers: AnswersInProgress
  readonly worker: Worker
  readonly clock: Clock
  /** Tells other nodes, and resolves when they use nothing of this one; absent where there are none. */
  readonly leaveOthers?: () => Promise<void>
}

/**
 * Ends a service that takes no new work any more: deferred work goes back to the queue at once, answers in progress get
 * the grace time, and what is left after it is cut off. Until then the service listens, so that requests get 503
 * and when to come back.
 */
export async function stopServing(
  { server, answers, worker, clock, leaveOthers = async () => {} }: RunningService,
  { graceMs }: { readonly graceMs: number },
): Promise<void> {
  const drained = worker.drain()
  const left = leaveOthers()
  await firstOf(
    neverAborted.signal,
    async () => void (await Promise.all([answers.finished(), left])),
    (signal) => clock.wait(graceMs, { signal }),
  )
  server.server.closeAllConnections()
  await Promise.all([server.close(), drained])
}

/** Counts the requests that a server has not finished answering. */
export class AnswersInProgress {
  #count = 0
  #finished = Promise.withResolvers<void>()

  constructor(server: Server) {
    server.on('request', (_request, response) => {
      this.#count += 1
      response.on('close', () => {
        this.#count -= 1
        if (this.#count === 0) this.#finished.resolve()
      })
    })
  }

  /** Resolves as soon as there are none. */
  async finished(): Promise<void> {
    if (this.#count === 0) return
    this.#finished = Promise.withResolvers()
    await this.#finished.promise
  }
}
