import { randomUUID } from 'node:crypto'
import type { Config } from '../config/settings.ts'
import type { Inference } from '../core/inference.ts'
import type { ModelPrice } from '../core/limits/model-price.ts'
import type { ModelDescriptor } from '../core/model.ts'
import type { Clock } from '../core/ports/clock.ts'
import type { ModelCatalog } from '../core/ports/model-catalog.ts'
import type { ModelPool } from '../core/ports/model-pool.ts'
import type { OutputStore } from '../core/ports/output-store.ts'
import type { Store } from '../core/ports/store.ts'
import { neverAborted } from '../core/waiting.ts'
import { createBatchWords } from '../http/wire/batches/batch-words.ts'
import { encodeOutput } from '../http/wire/deferred/encode-output.ts'
import { type AsyncAddress, encodeWebhook } from '../http/wire/deferred/inference.ts'
import type { WorkUnderWay } from '../operations/access/work-under-way.ts'
import type { BodyRecorder } from '../operations/bodies/body-recorder.ts'
import { endAnswer } from '../operations/conversations/kept-answers.ts'
import type { InferenceEvents } from '../operations/deferred/inference-events.ts'
import { observeQueue, outputsExpired, queueSwept, workWatched } from '../telemetry/inference-events.ts'
import { faultSurvived, webhookAttempted } from '../telemetry/service-events.ts'
import type { Telemetry } from '../telemetry/telemetry.ts'
import { startBatches } from '../worker/batches/advance-batches.ts'
import { startMaintenance } from '../worker/maintenance.ts'
import { postWebhook } from '../worker/post-webhook.ts'
import { startWorker, type Worker } from '../worker/start-worker.ts'
import { observeWorker, traceClaims, traceWebhooks } from './observe/observe-events.ts'
import { bodySettings } from './server-settings.ts'

/** Maximum number of concurrent deferred inferences; the slots of each model are the actual limit. */
const concurrency = 64

export interface DeferredWorkDependencies
  extends Pick<Store, 'queue' | 'log' | 'usage' | 'webhooks' | 'accounts' | 'tokens' | 'ledger' | 'documents' | 'requests'> {
  readonly outputs: OutputStore
  readonly catalog: ModelCatalog
  /** The catalog including the account's uploads. */
  readonly catalogFor: (accountId: string) => ModelCatalog
  readonly priceOf: (model: string) => ModelPrice | null
  readonly pool: ModelPool
  readonly isLoadedElsewhere: (modelId: string) => boolean
  readonly kindOf: (modelId: string) => ModelDescriptor['kind'] | undefined
  readonly events: InferenceEvents
  readonly clock: Clock
  readonly underWay: WorkUnderWay
  readonly onSubmitted: (inference: Inference) => void
  readonly bodies: BodyRecorder
  readonly addresses: () => AsyncAddress
  readonly telemetry: Telemetry
}

/** Starts the worker for deferred inferences, and the periodic tasks for the queue, its outputs and its webhooks. */
export function startDeferredWork(
  deps: DeferredWorkDependencies,
  { deferred, requests, accounts, cluster, models }: Pick<Config, 'deferred' | 'requests' | 'accounts' | 'cluster' | 'models'>,
): Worker {
  const { clock, addresses, telemetry, bodies } = deps
  const { leaseMs } = deferred
  let queueAgeMs: number | null = null
  observeQueue(telemetry, () => queueAgeMs)
  const worker =
    cluster.role === 'api'
      ? withoutWork(deps.events)
      : startWorker(
          {
            ...deps,
            encodeOutput: (work, result) => encodeOutput({ clock }, work, result),
            onEvent: observeWorker(telemetry),
            trace: traceClaims(telemetry),
            endAnswer: (answer, ending) => endAnswer({ ...deps, maxDocumentBytes: accounts.documentBytes }, answer, ending, neverAborted),
            onOutput: (inference, output) => bodies.recordOutput(inference, output),
            onWork: (event) => workWatched(telemetry, event),
          },
          { workerId: randomUUID(), concurrency, leaseMs, runLimitMs: requests.runLimitMs },
        )
  const maintenance = startMaintenance(
    {
      ...deps,
      encodeWebhook: (inference, at) => encodeWebhook(addresses(), inference, at),
      post: (post, { signal }) => postWebhook(post, { signal, privateTargets: deferred.privateWebhooks }),
      trace: traceWebhooks(telemetry),
      random: Math.random,
      heldClaims: () => worker.holds(),
      onAttempt: ({ id: deliveryId, inferenceId, attempts: attempt }, { state, result }) =>
        webhookAttempted(telemetry, { deliveryId, inferenceId, attempt, state, result }),
      refreshBodyLog: (options) => bodies.refresh(options),
      onSwept: (report) => queueSwept(telemetry, report),
      onExpired: (report) => outputsExpired(telemetry, report),
      onQueueAge: (ms) => {
        queueAgeMs = ms
      },
      onFault: (where, error) => faultSurvived(telemetry, { where }, error),
    },
    { maxQueueMs: deferred.waitLimitMs, leaseMs },
  )
  const batches = startBatches({
    ...deps,
    maxDocumentBytes: accounts.documentBytes,
    batchWords: createBatchWords(deps, { ...bodySettings(requests), imagePixels: requests.imagePixels, modelAliases: models.aliases }),
    onLine: (inference, call) => bodies.recordLine(inference, call),
    onFault: (where, error) => faultSurvived(telemetry, { where }, error),
  })
  return {
    drain: () => worker.drain(),
    holds: () => worker.holds(),
    async [Symbol.asyncDispose]() {
      await batches[Symbol.asyncDispose]()
      await maintenance[Symbol.asyncDispose]()
      await worker[Symbol.asyncDispose]()
    },
  }
}

/** The worker of a node that only answers clients: a drain releases those who wait for work of other nodes. */
function withoutWork(events: InferenceEvents): Worker {
  const drain = async () => events.close()
  return { drain, holds: () => [], [Symbol.asyncDispose]: drain }
}
