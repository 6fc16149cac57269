import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { FinishedRequest, HttpObserver, RequestTrace } from './http-observer.ts'

const traces = new WeakMap<FastifyRequest, RequestTrace>()

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
    traces.set(request, trace)
    trace.enter(done)
  })
  // A body comes in on its connection, which is part of no request.
  server.addHook('preHandler', (request, _reply, done) => {
    const trace = traces.get(request)
    if (trace === undefined) done()
    else trace.enter(done)
  })
}

/** Ends a request's place in its trace. */
export function endTrace(request: FastifyRequest, finished: FinishedRequest): void {
  traces.get(request)?.end(finished)
}
