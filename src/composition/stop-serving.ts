import type { Server } from 'node:http'
import { setImmediate } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import type { Clock } from '../core/ports/clock.ts'
import { firstOf, neverAborted } from '../core/waiting.ts'
import type { Worker } from '../worker/start-worker.ts'

/** Turns of the event loop until what has arrived is read: one accepts a connection, the next reads from it. */
const arrivalTurns = 3

interface RunningService {
  readonly server: FastifyInstance
  readonly answers: AnswersInProgress
  readonly worker: Worker
  readonly clock: Clock
  /** Announces the shutdown to other nodes, and resolves when they use nothing of this one; absent = no other nodes. */
  readonly leaveOthers?: () => Promise<void>
}

/**
 * Stops the service: deferred work is requeued at once, running answers get the grace time, and the rest is cut off. Until then the service
 * keeps listening and answers 503 with `Retry-After`.
 */
export async function stopServing(
  { server, answers, worker, clock, leaveOthers = async () => {} }: RunningService,
  { graceMs }: { readonly graceMs: number },
): Promise<void> {
  const drained = worker.drain()
  const left = leaveOthers()
  await firstOf(
    neverAborted.signal,
    async () => {
      await left
      await answers.finished()
    },
    (signal) => clock.wait(graceMs, { signal }),
  )
  server.server.closeAllConnections()
  await Promise.all([server.close(), drained])
}

/** Counts unfinished answers of a server. */
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

  get count(): number {
    return this.#count
  }

  /** Resolves when there are none, including those to requests that have arrived but are not read yet. */
  async finished(): Promise<void> {
    await this.#noneLeft()
    for (let turn = 0; turn < arrivalTurns; turn++) {
      await setImmediate()
      await this.#noneLeft()
    }
  }

  async #noneLeft(): Promise<void> {
    if (this.#count === 0) return
    this.#finished = Promise.withResolvers()
    await this.#finished.promise
  }
}
