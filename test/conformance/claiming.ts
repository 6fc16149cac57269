import assert from 'node:assert/strict'
import type { Progress } from '../../src/core/inference.ts'
import type { Claim, CompletionAnswer, Hold, InferenceQueue, ReleaseAnswer, SweepReport } from '../../src/core/ports/inference-queue.ts'
import { options } from './store-factory.ts'

export const output = { key: 'abcd.1', contentType: 'application/json', bytes: 2, sha256: 'ab'.repeat(32) }
export const leaseMs = 30_000

/** Claims the next inference of the fake models; fails when there is none. */
export async function claimNext(queue: InferenceQueue): Promise<Claim> {
  const claim = await tryClaim(queue)
  assert.ok(claim !== null, 'nothing to claim')
  return claim
}

/** Claims the next inference of these models, or null. */
export async function tryClaim(queue: InferenceQueue, models: readonly string[] = ['fake-image', 'fake-chat']): Promise<Claim | null> {
  const rooms = models.map((model) => ({ model, room: 1 }))
  const [claim] = await queue.claim({ workerId: 'w', rooms, limit: 1, leaseMs }, options)
  return claim ?? null
}

/** Completes a claim with an output, without booking anything. */
export function succeed(queue: InferenceQueue, claim: Hold, reference = output): Promise<CompletionAnswer> {
  return queue.complete(claim, { completion: { outcome: 'succeeded', output: reference }, usage: null }, options)
}

export function release(queue: InferenceQueue, claim: Hold, delayMs = 0): Promise<ReleaseAnswer> {
  return queue.release(claim, { delayMs, usage: null }, options)
}

/** Renews one claim and says what has become of it. */
export async function renew(
  queue: InferenceQueue,
  { id, attempt }: Hold,
  progress: Progress | null = null,
): Promise<'held' | 'cancel-requested' | 'lost'> {
  const { cancelRequested, lost } = await queue.renew([{ id, attempt, progress }], { ...options, leaseMs })
  if (lost.length > 0) return 'lost'
  return cancelRequested.length > 0 ? 'cancel-requested' : 'held'
}

/** A sweep by a caller that holds only the spared claims. */
export function sweep(
  queue: InferenceQueue,
  { maxQueueMs = 24 * 60 * 60 * 1000, spared = [] as readonly Hold[] } = {},
): Promise<SweepReport> {
  return queue.sweep({ maxQueueMs, spared }, options)
}
