import { ServiceError } from '../core/error.ts'
import type { ImageProgress } from '../core/image-generation.ts'
import type { OutputReference } from '../core/inference.ts'
import type { BudgetHolder } from '../core/ports/budget-ledger.ts'
import type { Claim } from '../core/ports/inference-queue.ts'
import type { TextPart } from '../core/text-generation.ts'
import { neverAborted, orAborted } from '../core/waiting.ts'
import type { EncodedOutput } from '../operations/deferred/outputs.ts'
import { runWork } from '../operations/run-work.ts'
import { meterOf, UsageMeter } from '../operations/usage-meter.ts'
import type { HeldLease } from './live-claims.ts'
import { persist } from './parked-claims.ts'
import { completeClaim, type EndedClaim, settleFailure } from './settle-claim.ts'
import type { WorkerDependencies, WorkerSettings } from './worker-dependencies.ts'

interface RunOptions extends Pick<WorkerSettings, 'runLimitMs'> {
  /** Lease of this claim; ended by the caller. */
  readonly lease: HeldLease
  /** Aborts when the worker drains. */
  readonly signal: AbortSignal
  /** Work that must end before this may start; the lease is held meanwhile. */
  readonly after: readonly Promise<void>[]
  /** Called when the work is loaded, just before a slot is acquired. */
  readonly onWork: () => void
  /** Called when the slot is free again, before the result is stored. */
  readonly onSlotFree: () => void
  /** Called when it is released because its account or token is at its concurrency limit. */
  readonly onOverLimit: (holder: BudgetHolder) => void
}

/** Runs a claim until it is completed or released. Never throws. */
export async function runClaim(deps: WorkerDependencies, claim: Claim, options: RunOptions): Promise<void> {
  const { trace } = deps
  const { accountId } = claim.inference
  const { model, kind } = claim.inference
  const unread = new UsageMeter(deps.clock, { accountId, tokenId: null, model, kind }, deps.priceOf?.(model))
  let ended: EndedClaim = { claim, work: null, hasResult: false, meter: unread, signal: options.signal }
  let holder: BudgetHolder = { accountId, tokenId: null }
  const { lease } = options
  using _noted = deps.underWay.note({ accountId, tokenId: null }, () => deps.events.publish(claim.id, { type: 'cancel-requested' }))
  const signal = AbortSignal.any([options.signal, lease.signal])
  deps.events.publish(claim.id, { type: 'status', status: 'running' })
  try {
    // If nothing must be awaited, the slot is taken before the worker checks its capacity again.
    if (options.after.length > 0) await orAborted(Promise.all(options.after), signal)
    const loaded = claim.load({ signal })
    const submission = loaded instanceof Promise ? await orAborted(loaded, signal) : loaded
    options.onWork()
    holder = submission
    const meter = meterOf(deps, submission)
    ended = { ...ended, work: submission.work, meter }
    await trace(claim, submission, async () => {
      signal.throwIfAborted()
      const { id } = submission
      const onProgress = ({ preview, ...progress }: ImageProgress) => {
        lease.noteProgress(progress)
        deps.events.publish(id, { type: 'progress', progress })
        if (preview !== undefined) deps.events.publish(id, { type: 'preview', image: preview })
      }
      const onText = (part: TextPart) => {
        if (part.type !== 'prompt') deps.events.publish(id, { type: 'text', parts: [part] })
      }
      const running = runWork({ ...deps, runLimitMs: options.runLimitMs }, submission, { signal, meter, onProgress, onText })
      const result = await orAborted(running, signal)
      ended = { ...ended, hasResult: true }
      options.onSlotFree()
      const content = deps.encodeOutput(submission.work, result)
      const output = await storeOutput(deps, claim, content, signal)
      await completeClaim(deps, ended, { outcome: 'succeeded', output })
      deps.onOutput(claim.inference, content)
    })
  } catch (error) {
    const settled = settleFailure(deps, ended, signal.aborted ? signal.reason : error)
    await settled.catch((fault: unknown) => deps.onEvent({ type: 'fault', duty: 'settle-claim', error: fault }))
    if (!signal.aborted && error instanceof ServiceError && error.code === 'concurrency_limit_exceeded') options.onOverLimit(holder)
  } finally {
    deps.events.forgetProgress(claim.id)
  }
}

async function storeOutput(
  deps: WorkerDependencies,
  { inference, attempt }: Claim,
  content: EncodedOutput,
  signal: AbortSignal,
): Promise<OutputReference> {
  const name = { inferenceId: inference.id, attempt }
  const startedAt = deps.clock.now()
  const stored = await persist(deps, 'store-output', () => deps.outputs.put(name, content, neverAborted), signal)
  deps.onWork({ type: 'phase', name: 'store', model: inference.model, startedAt, endedAt: deps.clock.now() })
  return content.images === undefined ? stored : { ...stored, images: content.images() }
}
