import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ServiceError } from '../core/error.ts'
import { judgeFailure } from './judge-failure.ts'

test('invalid input is never tried again', () => {
  for (const code of ['validation_error', 'unsupported', 'context_length_exceeded', 'unsupported_parameter', 'model_not_found'] as const)
    assert.equal(judgeFailure(new ServiceError(code, 'no')).action, 'fail')
})

test('a dead engine counts as a lost attempt, an unknown failure as a failed one, a full pool as none', () => {
  const dead = judgeFailure(new ServiceError('inference_failed', 'gone'))
  assert.deepEqual([dead.action, dead.action === 'retry' && dead.lost], ['retry', true])
  const unknown = judgeFailure(new Error('secret path'))
  assert.ok(unknown.action === 'retry' && !unknown.lost && !unknown.error.message.includes('secret'))
  assert.deepEqual(judgeFailure(new ServiceError('server_is_overloaded', 'full', { retryAfterSeconds: 7 })), {
    action: 'release',
    delayMs: 7000,
  })
})

test('a run over its time limit fails at once', () => {
  assert.equal(judgeFailure(new ServiceError('inference_timeout', 'too long')).action, 'fail')
})
