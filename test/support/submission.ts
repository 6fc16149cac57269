import type { InferenceSubmission } from '../../src/core/ports/inference-queue.ts'
import { makeImageRequest } from './image-request.ts'

/** An image submission of account `a` with every field filled in. */
export function makeSubmission(overrides: Partial<InferenceSubmission> = {}): InferenceSubmission {
  return {
    accountId: 'a',
    tokenId: null,
    traceparent: null,
    work: { kind: 'image', request: makeImageRequest('a tiger') },
    priority: 'normal',
    idempotency: null,
    webhookUrl: null,
    ...overrides,
  }
}
