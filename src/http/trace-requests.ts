import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { FinishedRequest, HttpObserver, RequestTrace } from './http-observer.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Its place in a trace, where somebody traces. */
    trace?: RequestTrace
  }
}

/** Runs every request in its place of a trace, where somebody traces. */
export function traceRequests(server: FastifyInstance, { observer }: { readonly observer: HttpObserver }): void {
  if (observer.requestStarted === undefined) return
  server.addHook('onRequest', (request, _reply, done) => {
    const { traceparent } = request.headers
    const trace = observer.requestStarted?.({
      method: request.method,
      traceparent: typeof traceparent === 'string' ? traceparent : undefined,
    })
    if (trace === undefined) return done()
    request.trace = trace
    trace.enter(done)
  })
  // A body comes in on its connection, which is part of no request.
  server.addHook('preHandler', (request, _reply, done) => {
    if (request.trace === undefined) done()
    else request.trace.enter(done)
  })
}

/** Ends a request's place in its trace. */
export function endTrace(request: FastifyRequest, finished: FinishedRequest): void {
  request.trace?.end(finished)
}
