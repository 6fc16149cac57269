import type { FastifyRequest } from 'fastify'
import type { InteractiveDependencies } from '../operations/booked.ts'
import { finishedRequest } from '../operations/requests/finished-request.ts'
import type { HttpDependencies } from './http-dependencies.ts'
import type { HttpSettings } from './http-settings.ts'

/** What an operation needs to run for one waiting request. */
export function interactiveWork(deps: HttpDependencies, { runLimitMs }: HttpSettings, request: FastifyRequest): InteractiveDependencies {
  const { pool, ledger, usage, books = usage, clock, priceOf, observer, recordRequest } = deps
  const onWork = observer.watchWork?.()
  return {
    pool,
    ledger,
    usage: books,
    clock,
    runLimitMs,
    ...(priceOf && { priceOf }),
    ...(onWork && { onWork }),
    onEnded: (entry) => recordRequest?.(finishedRequest(request.id, entry)),
    onBooked: (entry) => observer.workFinished(entry),
    onFault: (error) => observer.faultSurvived({ requestId: request.id, error }),
  }
}
