import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { hourMs } from '../core/ports/clock.ts'
import type { BodyLogSwitch } from '../core/requests/logged-body.ts'
import type { BodyCapture } from '../operations/bodies/body-capture.ts'
import type { BodyRecorder } from '../operations/bodies/body-recorder.ts'

/** Tells callers that their requests are logged, and for how many hours. */
const requestLogHeader = 'x-request-log'

interface Logged {
  readonly capture: BodyCapture
  /** The inference that the log files the entry under if the request is answered later; null = the request's own id. */
  inferenceId: string | null
}

const logged = new WeakMap<FastifyRequest, Logged>()

/** Logs the answers of requests that run a model and whose bodies are collected. */
export function logAnswers(api: FastifyInstance): void {
  api.addHook('onRoute', (route) => {
    if (route.config?.spends === undefined) return
    route.onSend = [
      ...[route.onSend ?? []].flat(),
      (request, reply, payload, done) => {
        if (typeof payload === 'string' || payload instanceof Uint8Array) logAnswer(request, reply, payload)
        done(null, payload)
      },
    ]
  })
}

/** The collected bodies of a request; undefined when they are not logged. */
export function captureOf(request: FastifyRequest): BodyCapture | undefined {
  return logged.get(request)?.capture
}

/** Logs an answer that is sent at once. */
function logAnswer(request: FastifyRequest, reply: FastifyReply, payload: string | Uint8Array): void {
  const found = logged.get(request)
  if (found === undefined || found.inferenceId !== null) return
  const type = reply.getHeader('content-type')
  found.capture.describe('answer', { path: null, contentType: typeof type === 'string' ? type : null, status: reply.statusCode })
  found.capture.add('answer', payload)
}

/** Logs a request that is answered later under its inference, whose output is the answer. */
export function logAsInference(request: FastifyRequest, inferenceId: string): void {
  const found = logged.get(request)
  if (found !== undefined) found.inferenceId = inferenceId
}

/** Collects the bodies of a request whose account's log is on. */
export function logBodies(bodies: BodyRecorder, found: BodyLogSwitch, request: FastifyRequest, reply: FastifyReply): void {
  const { accountId } = found
  const capture = bodies.open(found)
  const entry: Logged = { capture, inferenceId: null }
  logged.set(request, entry)
  reply.header(requestLogHeader, `${found.keepMs / hourMs}h`)
  const path = request.routeOptions.url ?? null
  capture.describe('request', { path, contentType: request.headers['content-type'] ?? null, status: null })
  reply.raw.once('close', () => {
    const { inferenceId } = entry
    bodies.record(capture, { accountId, requestId: inferenceId ?? request.id }, inferenceId ?? undefined)
  })
}
