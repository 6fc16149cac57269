import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Inference } from '../../../core/inference.ts'
import { encodeInference } from './inference.ts'

const address = { asyncUrl: 'https://async.example' }

const completed: Inference = {
  id: 'a1',
  accountId: 'ada',
  kind: 'image',
  model: 'fake-image',
  priority: 'normal',
  status: 'completed',
  outcome: 'succeeded',
  error: null,
  output: { key: 'abc.1', contentType: 'application/json', bytes: 2, sha256: '00' },
  attempt: 1,
  progress: { step: 17, total: 20 },
  queuePosition: null,
  createdAt: 0,
  startedAt: 1,
  completedAt: 2,
  expiresAt: 3,
}

test('what succeeded took every step, whatever was written last', () => {
  assert.deepEqual(encodeInference(address, completed).progress, { step: 20, total: 20 })
})

test('what was cancelled got as far as was written last', () => {
  assert.deepEqual(encodeInference(address, { ...completed, outcome: 'cancelled', output: null }).progress, { step: 17, total: 20 })
})

test('a finished chat has no progress, for its total was only a bound; one under way or cancelled has', () => {
  const chat = { ...completed, kind: 'chat', progress: { step: 17, total: 512 } } as const
  assert.equal('progress' in encodeInference(address, chat), false)
  for (const outcome of [null, 'cancelled', 'failed'] as const)
    assert.deepEqual(encodeInference(address, { ...chat, outcome, output: null }).progress, { step: 17, total: 512 })
})
