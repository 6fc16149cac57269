import { attachedFiles, type StoredDocument } from '../core/document.ts'
import { filePrefix } from '../core/files/stored-file.ts'
import type { AccountStore } from '../core/ports/account-store.ts'
import type { Clock } from '../core/ports/clock.ts'
import type { DocumentStore } from '../core/ports/document-store.ts'
import type { InferenceLog } from '../core/ports/inference-log.ts'
import type { ExpiryReport, Hold, InferenceQueue, SweepReport } from '../core/ports/inference-queue.ts'
import type { OutputStore, StoredOutput } from '../core/ports/output-store.ts'
import type { Store } from '../core/ports/store.ts'
import { requestedRetentionMs, requestRetentionMs } from '../core/requests/request-record.ts'
import type { Abortable } from '../core/waiting.ts'
import { eraseDeletedAccounts } from '../operations/access/deleted-accounts.ts'
import { endWorkOfDisabled, endWorkOfRevoked, type WorkUnderWay } from '../operations/access/work-under-way.ts'
import { type WebhookDependencies, WebhookSender } from './deliver-webhooks.ts'

export interface MaintenanceDependencies extends WebhookDependencies, Pick<Store, 'queue' | 'documents' | 'tokens' | 'usage' | 'requests'> {
  readonly outputs: OutputStore
  readonly accounts: AccountStore
  readonly underWay: WorkUnderWay
  /** Reloads which accounts have a request log, and its keys; absent = none have. */
  readonly refreshBodyLog?: (options: Abortable) => Promise<void>
  /** Claims held by this process; their leases may have expired while it was paused. */
  readonly heldClaims: () => readonly Hold[]
  readonly onSwept: (report: SweepReport) => void
  readonly onExpired: (report: ExpiryReport) => void
  /** Called every few seconds with the longest wait in the queue, in milliseconds; null = unknown. */
  readonly onQueueAge: (ms: number | null) => void
  readonly onFault: (duty: string, error: unknown) => void
}

export interface MaintenanceSettings {
  /** Maximum time an inference may be pending. */
  readonly maxQueueMs: number
  readonly leaseMs: number
}

const webhookPollMs = 1000
/** With a lease of six seconds, work of a dead node is claimed again within ten. */
const longestSweepPauseMs = 2000
const rollUpMs = 5000
const expiryMs = 5000
/** Including the query, within the five seconds in which disabling an account takes effect. */
const disabledPollMs = 2000
/** A leaked token can be used until then. */
const revokedPollMs = 1000
/** Within the five seconds in which switching the log takes effect. */
const bodyLogMs = 2000
const requestExpiryMs = 60_000
/** Between two commits of a few hundred records: 600 000 are gone in three minutes. */
const requestExpiryPauseMs = 50
const eraseMs = 5000
/** The age of the queue is used for scaling workers and need not be more recent. */
const queueAgeMs = 5000
const orphanSearchMs = 10 * 60_000

/** Starts the periodic tasks; disposing it stops them and waits for running ones. */
export function startMaintenance(deps: MaintenanceDependencies, { maxQueueMs, leaseMs }: MaintenanceSettings): AsyncDisposable {
  const stop = new AbortController()
  const sender = new WebhookSender(deps, (error) => deps.onFault('deliver-webhooks', error))
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
    { name: 'erase-accounts', everyMs: eraseMs, run: (options) => eraseDeletedAccounts(deps, options) },
    { name: 'end-disabled-work', everyMs: disabledPollMs, run: (options) => endWorkOfDisabled(deps, options) },
    { name: 'end-revoked-work', everyMs: revokedPollMs, run: (options) => endWorkOfRevoked(deps, options) },
    { name: 'measure-queue', everyMs: queueAgeMs, run: (options) => measureQueue(deps, options) },
    { name: 'roll-up-usage', everyMs: rollUpMs, run: (options) => rollUpUsage(deps, options) },
    { name: 'deliver-webhooks', everyMs: webhookPollMs, run: (options) => sender.setOff(options) },
  ]
  const running = duties.map((duty) => runEvery(deps, duty, { signal: stop.signal }))
  return {
    async [Symbol.asyncDispose]() {
      stop.abort()
      await Promise.all(running)
      await sender.returned()
    },
  }
}

/** Reports the age of the oldest waiting inference: null = unknown. */
async function measureQueue(
  { log, clock, onQueueAge }: Pick<MaintenanceDependencies, 'log' | 'clock' | 'onQueueAge'>,
  options: Abortable,
): Promise<void> {
  try {
    const oldest = await log.oldestPending(options)
    onQueueAge(oldest === null ? 0 : Math.max(0, clock.now() - oldest))
  } catch (error) {
    onQueueAge(null)
    throw error
  }
}

/** Rolls up usage entries until none are left. */
async function rollUpUsage({ usage }: Pick<MaintenanceDependencies, 'usage'>, options: Abortable): Promise<void> {
  while ((await usage.rollUp(options)) > 0);
}

const documentBatch = 100

/** Removes expired documents and the bytes of their files, thumbnails and logged bodies. */
export async function expireDocuments(
  { documents, outputs }: { readonly documents: DocumentStore; readonly outputs: OutputStore },
  options: Abortable,
): Promise<void> {
  for (;;) {
    const expired = await documents.takeExpired(documentBatch, options)
    const files = expired.flatMap(attachedFiles)
    await outputs.delete(
      files.map(({ key }) => key),
      options,
    )
    if (expired.length < documentBatch) return
  }
}

/** Deletes expired outputs, rows before bytes. A crash in between leaves orphaned bytes, which {@link removeOrphanOutputs} finds. */
async function expireOutputs(
  {
    queue,
    outputs,
    onExpired,
  }: { readonly queue: InferenceQueue; readonly outputs: OutputStore; readonly onExpired: (report: ExpiryReport) => void },
  options: Abortable,
): Promise<void> {
  for (;;) {
    const report = await queue.expire(options)
    await outputs.delete(report.outputs, options)
    if (report.outputs.length + report.deletedRecords === 0) return
    onExpired(report)
  }
}

/** Deletes request records past their retention: the content first, then the record. The pauses let other writes pass. */
async function expireRequests({ requests, clock }: Pick<Store, 'requests' | 'clock'>, options: Abortable): Promise<void> {
  const now = clock.now()
  const before = { words: now - requestedRetentionMs, all: now - requestRetentionMs }
  while ((await requests.expire(before, options)) > 0) await clock.wait(requestExpiryPauseMs, options)
}

/** Requeues or fails inferences that lost their worker or waited too long, until none are left. */
async function sweepQueue(
  {
    queue,
    heldClaims,
    onSwept,
  }: { readonly queue: InferenceQueue; readonly heldClaims: () => readonly Hold[]; readonly onSwept: (report: SweepReport) => void },
  { maxQueueMs }: { readonly maxQueueMs: number },
  options: Abortable,
): Promise<void> {
  for (;;) {
    const report = await queue.sweep({ maxQueueMs, spared: heldClaims() }, options)
    if (report.requeued + report.failed === 0) return
    onSwept(report)
  }
}

/** Younger output bytes may belong to a completion in progress. */
const youngMs = 60 * 60 * 1000
const orphanBatch = 500

/** Deletes output bytes without a record: left by a crash, or by a deleted record. */
export async function removeOrphanOutputs(
  {
    outputs,
    documents,
    log,
    clock,
  }: { readonly outputs: OutputStore; readonly documents: DocumentStore; readonly log: InferenceLog; readonly clock: Clock },
  options: Abortable,
): Promise<void> {
  let old: StoredOutput[] = []
  const removeAll = async () => {
    const orphans = new Set(await log.findOrphans(old, options))
    const unknown = old.filter(({ key }) => orphans.has(key))
    const kept = await Promise.all(unknown.map((output) => isKept(documents, output, options)))
    await outputs.delete(
      unknown.filter((_, at) => !kept[at]).map(({ key }) => key),
      options,
    )
    old = []
  }
  for await (const output of outputs.listOld({ olderThan: clock.now() - youngMs }, options)) {
    old.push(output)
    if (old.length >= orphanBatch) await removeAll()
  }
  await removeAll()
}

/** Whether bytes without an inference belong to a file, a kept picture, a thumbnail, or a logged body. */
async function isKept(documents: DocumentStore, { key, inferenceId: id }: StoredOutput, options: Abortable): Promise<boolean> {
  const names = [
    { kind: 'file', id: `${filePrefix}${id}` } as const,
    { kind: 'picture', id } as const,
    { kind: 'thumbnail', id } as const,
    { kind: 'request-body', id } as const,
  ]
  const found = await Promise.all(names.map((name) => documents.get({ ...name, accountId: null }, options)))
  // A picture that was saved again may have left a file under another name.
  const isUsed = (document: StoredDocument) => document.kind !== 'picture' || attachedFiles(document).some((file) => file.key === key)
  return found.some((document) => document !== null && isUsed(document))
}

export interface Duty {
  /** Name of the task in the log. */
  readonly name: string
  readonly everyMs: number
  readonly run: (options: Abortable) => Promise<void>
}

/** Runs a task now and then periodically until the signal aborts; failures do not stop it. */
export async function runEvery(
  { clock, onFault }: { readonly clock: Clock; readonly onFault: (duty: string, error: unknown) => void },
  { name, everyMs, run }: Duty,
  options: Abortable,
): Promise<void> {
  const { signal } = options
  while (!signal.aborted) {
    await run(options).catch((error: unknown) => {
      if (!signal.aborted) onFault(name, error)
    })
    await clock.wait(everyMs, options).catch(() => {})
  }
}
