import type { AccessTokenStore } from '../core/ports/access-token-store.ts'
import type { AccountStore } from '../core/ports/account-store.ts'
import type { DocumentStore } from '../core/ports/document-store.ts'
import type { ExpiryReport, Hold, InferenceQueue, SweepReport } from '../core/ports/inference-queue.ts'
import type { OutputStore } from '../core/ports/output-store.ts'
import type { RequestLog } from '../core/ports/request-log.ts'
import type { UsageLog } from '../core/ports/usage-log.ts'
import { endWorkOfDisabled, endWorkOfRevoked, type WorkUnderWay } from '../operations/access/work-under-way.ts'
import { WebhookCourier, type WebhookDependencies } from './deliver-webhooks.ts'
import { expireDocuments, expireOutputs, expireRequests, removeOrphanOutputs, sweepQueue } from './maintenance-duties.ts'
import { type Duty, runEvery } from './run-every.ts'

export interface MaintenanceDependencies extends WebhookDependencies {
  readonly queue: InferenceQueue
  readonly outputs: OutputStore
  readonly documents: DocumentStore
  readonly accounts: AccountStore
  readonly tokens: AccessTokenStore
  readonly underWay: WorkUnderWay
  readonly usage: UsageLog
  readonly requests: RequestLog
  /** Reads anew whose requests are logged, and the keys for it; absent = nobody's are. */
  readonly refreshBodyLog?: (options: { readonly signal: AbortSignal }) => Promise<void>
  /** What this process is working on; its leases may have run out while it was paused. */
  readonly heldClaims: () => readonly Hold[]
  readonly onSwept: (report: SweepReport) => void
  readonly onExpired: (report: ExpiryReport) => void
  /** Told every few seconds for how long the longest waiting of the queue has waited, in milliseconds; null while nobody knows. */
  readonly onQueueAge: (ms: number | null) => void
  readonly onFault: (duty: string, error: unknown) => void
}

export interface MaintenanceSettings {
  /** Longest time an inference may be pending. */
  readonly maxQueueMs: number
  readonly leaseMs: number
}

const webhookPollMs = 1000
/** With a lease of six seconds, the work of a node that died is claimed again within ten. */
const longestSweepPauseMs = 2000
const rollUpMs = 5000
const expiryMs = 5000
/** With what the search itself takes, within the five seconds in which a revocation is seen. */
const disabledPollMs = 2000
/** A token that leaked costs until then. */
const revokedPollMs = 1000
/** Within the five seconds in which people expect a switch to hold. */
const bodyLogMs = 2000
const requestExpiryMs = 60_000
/** The age of the queue is what workers are added by; it need not be newer. */
const queueAgeMs = 5000
const orphanSearchMs = 10 * 60_000

/** Starts what has to be done from time to time; disposing it ends every duty and waits for what is under way. */
export function startMaintenance(deps: MaintenanceDependencies, { maxQueueMs, leaseMs }: MaintenanceSettings): AsyncDisposable {
  const stop = new AbortController()
  const courier = new WebhookCourier(deps, (error) => deps.onFault('deliver-webhooks', error))
  const duties: readonly Duty[] = [
    {
      name: 'sweep-queue',
      everyMs: Math.min(leaseMs / 2, longestSweepPauseMs),
      run: (options) => sweepQueue(deps, { maxQueueMs }, options),
    },
    { name: 'expire-outputs', everyMs: expiryMs, run: (options) => expireOutputs(deps, options) },
    { name: 'expire-documents', everyMs: expiryMs, run: (options) => expireDocuments(deps, options) },
    { name: 'refresh-request-log', everyMs: bodyLogMs, run: async (options) => deps.refreshBodyLog?.(options) },
    { name: 'expire-requests', everyMs: requestExpiryMs, run: (options) => expireRequests(deps, options) },
    { name: 'remove-orphan-outputs', everyMs: orphanSearchMs, run: (options) => removeOrphanOutputs(deps, options) },
    { name: 'end-disabled-work', everyMs: disabledPollMs, run: (options) => endWorkOfDisabled(deps, options) },
    { name: 'end-revoked-work', everyMs: revokedPollMs, run: (options) => endWorkOfRevoked(deps, options) },
    { name: 'measure-queue', everyMs: queueAgeMs, run: (options) => measureQueue(deps, options) },
    { name: 'roll-up-usage', everyMs: rollUpMs, run: (options) => rollUpUsage(deps, options) },
    { name: 'deliver-webhooks', everyMs: webhookPollMs, run: (options) => courier.setOff(options) },
  ]
  const running = duties.map((duty) => runEvery(deps, duty, { signal: stop.signal }))
  return {
    async [Symbol.asyncDispose]() {
      stop.abort()
      await Promise.all(running)
      await courier.returned()
    },
  }
}

/** Says for how long the longest waiting has waited: null while that is not known. */
async function measureQueue(
  { log, clock, onQueueAge }: Pick<MaintenanceDependencies, 'log' | 'clock' | 'onQueueAge'>,
  options: { readonly signal: AbortSignal },
): Promise<void> {
  try {
    const oldest = await log.oldestPending(options)
    onQueueAge(oldest === null ? 0 : Math.max(0, clock.now() - oldest))
  } catch (error) {
    onQueueAge(null)
    throw error
  }
}

/** Makes sums of the entries in the books until none are left. */
async function rollUpUsage({ usage }: Pick<MaintenanceDependencies, 'usage'>, options: { readonly signal: AbortSignal }): Promise<void> {
  while ((await usage.rollUp(options)) > 0);
}
