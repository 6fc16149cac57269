import { setImmediate as nextTurn } from 'node:timers/promises'
import { isEnabled } from '../../core/account.ts'
import { type ErrorRecord, ServiceError, toErrorRecord } from '../../core/error.ts'
import { type Batch, hasEnded } from '../../core/files/batch.ts'
import type { Abortable } from '../../core/waiting.ts'
import { batchDocument, type KnownBatch, openLabel, readBatchDocument } from '../../operations/batches/batches.ts'
import { runEvery } from '../maintenance.ts'
import { type BatchDependencies, setFilesExpiry, validateBatch } from './batch-pages.ts'
import { runPage } from './run-page.ts'

/** Batches per round; each account has its own limit. */
const most = 1000

/**
 * Advances all batches as far as the queue allows. Safe to run on several nodes: each step is written by only one.
 *
 * @param onFault Called with a batch that failed to advance; the others continue.
 */
export async function advanceBatches(
  deps: BatchDependencies & { readonly onFault: (where: string, error: unknown) => void },
  options: Abortable,
): Promise<void> {
  const query = { kind: 'batch', accountId: null, label: openLabel, order: 'oldest', after: null, limit: most } as const
  for (const document of await deps.documents.list(query, options)) {
    // Some look-ups of a page complete without yielding to the event loop.
    await nextTurn()
    let known: KnownBatch | null = readBatchDocument(document)
    try {
      while (known !== null) known = await step(deps, known, options)
    } catch (error) {
      if (options.signal.aborted) throw error
      deps.onFault('advance-batches', error)
    }
  }
}

/** One write of the record; null = nothing to do now. */
async function step(deps: BatchDependencies, { batch, version }: KnownBatch, options: Abortable): Promise<KnownBatch | null> {
  const next = await goOn(deps, batch, options)
  if (next === batch) return null
  const put = await deps.documents.put(batchDocument(next), { ...options, version, most: Number.POSITIVE_INFINITY })
  if (put !== 'stored' || hasEnded(next)) return null
  return { batch: next, version: version + 1 }
}

async function goOn(deps: BatchDependencies, batch: Batch, options: Abortable): Promise<Batch> {
  const now = deps.clock.now()
  // Recorded before anything ends, so that it stays even if the account is enabled again meanwhile.
  if (batch.status !== 'cancelling' && !isEnabled(await deps.accounts.find(batch.accountId, options)))
    return { ...batch, status: 'cancelling', cancellingAt: now }
  const ending = endingOf(batch, now)
  if (batch.status === 'validating' && ending === null) return validateBatch(deps, batch, options)
  try {
    const next = batch.startedAt === null ? batch : await runPage(deps, batch, ending, options)
    const { counts, running } = next
    if (next !== batch && (counts.completed + counts.failed < counts.total || running.length > 0)) return next
    if (next === batch && counts.completed + counts.failed < counts.total) return batch
    const status = ending === null ? 'completed' : batch.status === 'cancelling' ? 'cancelled' : 'expired'
    await setFilesExpiry(deps, next, options)
    return { ...next, status, endedAt: now }
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'not_found') throw error
    const gone = new ServiceError('not_found', 'The file of the batch no longer exists; upload it again.', { param: 'input_file_id' })
    return { ...batch, status: 'failed', endedAt: now, faults: [{ line: null, error: toErrorRecord(gone) }] }
  }
}

/** Why a batch ends early; null = it does not. */
function endingOf({ status, expiresAt }: Batch, now: number): ErrorRecord | null {
  if (status === 'cancelling')
    return toErrorRecord(new ServiceError('request_cancelled', 'The batch was cancelled before this request was completed.'))
  if (expiresAt <= now) return toErrorRecord(new ServiceError('response_expired', 'The batch ended before this request was completed.'))
  return null
}

const pollMs = 1000

/** Advances batches periodically; disposing it stops this and waits for running steps. */
export function startBatches(deps: BatchDependencies & { readonly onFault: (where: string, error: unknown) => void }): AsyncDisposable {
  const stop = new AbortController()
  const duty = {
    name: 'advance-batches',
    everyMs: pollMs,
    run: (options: Abortable) => advanceBatches(deps, options),
  }
  const running = runEvery(deps, duty, { signal: stop.signal })
  return {
    async [Symbol.asyncDispose]() {
      stop.abort()
      await running
    },
  }
}
