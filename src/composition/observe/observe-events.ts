import type { LenderSettings } from '../../cluster/lend-slots.ts'
import type { ModelLoader } from '../../core/ports/model-loader.ts'
import type { FinishedRequest } from '../../core/requests/request-record.ts'
import type { TextPart } from '../../core/text-generation.ts'
import type { WorkEvent } from '../../core/work-event.ts'
import type { HttpObserver } from '../../http/http-observer.ts'
import type { PoolEvent } from '../../residency/residency-state.ts'
import type { EngineEvent } from '../../runtimes/process/engine-messages.ts'
import { inferenceClaimed, inferenceCompleted, inferenceRequeued, resultFenced, workWatched } from '../../telemetry/inference-events.ts'
import {
  engineExited,
  engineOutput,
  engineStarted,
  modelCrashed,
  modelLoaded,
  modelUnloaded,
  requestRefused,
  tokensGuessed,
} from '../../telemetry/model-events.ts'
import type { OpenSpan } from '../../telemetry/otlp/traces.ts'
import { promptLogged, requestFinished, workFinished } from '../../telemetry/request-events.ts'
import { faultSurvived } from '../../telemetry/service-events.ts'
import type { Telemetry } from '../../telemetry/telemetry.ts'
import type { WebhookDependencies } from '../../worker/deliver-webhooks.ts'
import type { WorkerDependencies, WorkerEvent } from '../../worker/worker-dependencies.ts'

/** Logs what happens to engine processes. */
export function observeEngines(telemetry: Telemetry): (event: EngineEvent) => void {
  return (event) => {
    if (event.type === 'output') engineOutput(telemetry, event)
    else if (event.type === 'started') engineStarted(telemetry, event)
    else if (event.type === 'guessed') tokensGuessed(telemetry, event)
    else engineExited(telemetry, event)
  }
}

/** Records requests at the public interface in the log and the metrics. */
export function observeHttp(telemetry: Telemetry): HttpObserver {
  const { traces } = telemetry
  return {
    requestStarted({ method, traceparent }) {
      if (traceparent === undefined && !traces.begins) return undefined
      const { run, end } = traces.enter(method, { kind: 'server', traceparent })
      return { enter: run, end: (finished) => end(describe(finished)) }
    },
    watchWork: () => traces.bind((event: WorkEvent) => workWatched(telemetry, event)),
    traceparent: () => traces.traceparent(),
    requestFinished: (request) => requestFinished(telemetry, request),
    workFinished: (entry) => workFinished(telemetry, entry),
    faultSurvived: ({ requestId, error }) => faultSurvived(telemetry, { where: 'http', requestId }, error),
    promptLogged: (entry) => promptLogged(telemetry, entry),
  }
}

function describe({ method, route, status, requestId }: FinishedRequest): Parameters<OpenSpan['end']>[0] {
  return {
    name: `${method} ${route}`,
    attributes: {
      'http.request.method': method,
      'http.route': route,
      'http.response.status_code': status,
      'sepia.request_id': requestId,
    },
    failed: status >= 500,
  }
}

/** Records loads and unloads of models in the log and the metrics. */
export function observePool(telemetry: Telemetry): (event: PoolEvent) => void {
  return (event) => {
    const { modelId } = event
    if (event.type === 'loaded') modelLoaded(telemetry, { modelId, loadMs: event.loadMs, device: event.device })
    else if (event.type === 'unloaded') modelUnloaded(telemetry, { modelId, reason: event.reason })
    else if (event.type === 'crashed') modelCrashed(telemetry, { modelId, reason: event.reason })
    else if (event.type === 'load-failed') faultSurvived(telemetry, { where: `loading ${modelId}` }, event.error)
    else requestRefused(telemetry, { modelId, because: event.because })
  }
}

/** Records the work of the worker in the log and the metrics. */
export function observeWorker(telemetry: Telemetry): (event: WorkerEvent) => void {
  return (event) => {
    if (event.type === 'fault') return faultSurvived(telemetry, { where: event.duty }, event.error)
    const { id: inferenceId, model, attempt } = event.inference
    if (event.type === 'claimed') inferenceClaimed(telemetry, { inferenceId, model, attempt, queuedMs: event.queuedMs })
    else if (event.type === 'requeued') inferenceRequeued(telemetry, { inferenceId, model, attempt, reason: event.reason })
    else if (event.type === 'fenced') resultFenced(telemetry, { inferenceId, attempt })
    else {
      const { completion, usage } = event
      const code = completion.outcome === 'succeeded' ? null : completion.error.code
      inferenceCompleted(telemetry, { inferenceId, model, attempt, outcome: completion.outcome, code, durationMs: usage.durationMs })
      workFinished(telemetry, usage)
    }
  }
}

/** Runs each claim in the trace of its request, starting at the time of submission; failures mark the span. */
export function traceClaims(telemetry: Telemetry): NonNullable<WorkerDependencies['trace']> {
  const { traces } = telemetry
  return ({ inference: { id, model, attempt, createdAt, startedAt } }, { traceparent, work }, run) => {
    const attributes = { 'sepia.inference_id': id, 'sepia.model': model, 'sepia.attempt': attempt }
    return traces.within(`run ${work.kind}`, { kind: 'consumer', traceparent: traceparent ?? undefined, attributes }, async () => {
      if (startedAt !== null) traces.record('queue', { startedAt: createdAt, endedAt: startedAt, attributes: { 'sepia.model': model } })
      await run()
    })
  }
}

/** Runs a lease in the trace of the requesting node. */
export function traceLeases({ traces }: Telemetry): NonNullable<LenderSettings['trace']> {
  return ({ kind, model, traceparent }, run) =>
    traces.within(`lend ${kind}`, { kind: 'server', traceparent, attributes: { 'sepia.model': model } }, run)
}

/** Runs each webhook attempt in the trace of its inference, and sends the trace id to the receiver. */
export function traceWebhooks({ traces }: Telemetry): NonNullable<WebhookDependencies['trace']> {
  return ({ id, inferenceId, attempts, traceparent }, attempt) => {
    const attributes = { 'sepia.delivery_id': id, 'sepia.inference_id': inferenceId, 'sepia.attempt': attempts + 1 }
    const start = { kind: 'client', traceparent: traceparent ?? undefined, attributes } as const
    return traces.within('webhook', start, () => attempt(traces.traceparent()))
  }
}

/** Counts every token generated by this machine's models, whichever node received the request. */
export function countGenerated(loader: ModelLoader, { metrics }: Telemetry): ModelLoader {
  return {
    async loadText(descriptor, options) {
      const loaded = await loader.loadText(descriptor, options)
      const { model } = loaded
      const count = (tokens: number) => metrics.generatedTokens.add([descriptor.id], tokens)
      return { ...loaded, model: { ...model, generate: (...work) => countParts(model.generate(...work), count) } }
    },
    loadImage: (descriptor, options) => loader.loadImage(descriptor, options),
  }
}

/** Counts a token per part, corrected at the end by the model's own count. */
function countParts(parts: AsyncIterable<TextPart>, count: (tokens: number) => void): AsyncIterable<TextPart> {
  let counted = 0
  const note = (item: IteratorResult<TextPart>): IteratorResult<TextPart> => {
    if (item.done === true) return item
    const { value: part } = item
    if (part.type === 'text' || part.type === 'thoughts' || part.type === 'tool-arguments') {
      counted += 1
      count(1)
    }
    if (part.type === 'finish') count(Math.max(0, part.usage.completionTokens - counted))
    return item
  }
  return {
    // An object instead of a generator, which would triple the cost of passing a part on.
    [Symbol.asyncIterator]: () => {
      const items = parts[Symbol.asyncIterator]()
      return {
        next: () => items.next().then(note),
        return: async () => (await items.return?.()) ?? { done: true, value: undefined },
      }
    },
  }
}
