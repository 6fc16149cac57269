import assert from 'node:assert/strict'
import type { Claim, InferenceQueue } from '../../src/core/ports/inference-queue.ts'
import { options } from './store-factory.ts'

export const output = { key: 'abcd.1', contentType: 'application/json', bytes: 2, sha256: 'ab'.repeat(32) }
export const leaseMs = 30_000

/** Claims the next inference of the fake models; fails when there is none. */
export async function claimNext(queue: InferenceQueue): Promise<Claim> {
  const claim = await tryClaim(queue)
  assert.ok(claim !== null, 'nothing to claim')
  return claim
}

export function tryClaim(queue: InferenceQueue): Promise<Claim | null> {
  return queue.claim({ workerId: 'w', models: ['fake-image', 'fake-chat'], leaseMs }, options)
}
