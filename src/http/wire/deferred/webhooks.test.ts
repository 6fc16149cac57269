import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { WebhookDelivery } from '../../../core/ports/webhook-log.ts'
import { encodeWebhookDelivery } from './webhooks.ts'

const waiting: WebhookDelivery = {
  id: 'msg_1',
  inferenceId: 'abc',
  accountId: 'a',
  url: 'https://example.com/hook',
  attempts: 2,
  nextAttemptAt: Date.UTC(2026, 0, 1),
  state: 'waiting',
  lastResult: '503',
  traceparent: null,
}

test('a waiting delivery shows the time of its next attempt and nothing about its account', () => {
  assert.deepEqual(encodeWebhookDelivery(waiting), {
    id: 'msg_1',
    response_id: 'abc',
    url: 'https://example.com/hook',
    state: 'waiting',
    attempts: 2,
    last_result: '503',
    next_attempt_at: '2026-01-01T00:00:00.000Z',
  })
})

test('a finished delivery has no next attempt', () => {
  for (const state of ['delivered', 'given-up'] as const)
    assert.equal(encodeWebhookDelivery({ ...waiting, state }).next_attempt_at, null, state)
})
