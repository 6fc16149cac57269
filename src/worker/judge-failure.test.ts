import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ServiceError } from '../core/error.ts'
import { judgeFailure } from './judge-failure.ts'

test('invalid input is never tried again', () => {
  for (const code of ['validation_error', 'unsupported', 'context_length_exceeded', 'unsupported_parameter', 'model_not_found'] as const)
    assert.equal(judgeFailure(new ServiceError(code, 'no'), 1).action, 'fail')
})

test('a dead engine counts as a deadly attempt, an unknown failure as a failed one, a full pool as none', () => {
  const dead = judgeFailure(new ServiceError('inference_failed', 'gone'), 1)
  assert.deepEqual([dead.action, dead.action === 'retry' && dead.deadly], ['retry', true])
  const unknown = judgeFailure(new Error('secret path'), 1)
  assert.ok(unknown.action === 'retry' && !unknown.deadly && !unknown.error.message.includes('secret'))
  assert.deepEqual(judgeFailure(new ServiceError('server_is_overloaded', 'full', { retryAfterSeconds: 7 }), 1), {
    action: 'release',
    delayMs: 7000,
  })
  assert.equal(judgeFailure(new ServiceError('concurrency_limit_exceeded', 'share'), 1).action, 'release')
})

test('an answer with a reader fails at once, except while it waits for a slot', () => {
  const away = new ServiceError('inference_failed', 'away', { isNotStarted: true })
  for (const failure of [away, new ServiceError('inference_failed', 'gone'), new Error('secret path')])
    assert.equal(judgeFailure(failure, 1, true).action, 'fail')
  assert.equal(judgeFailure(new ServiceError('server_is_overloaded', 'full'), 1, true).action, 'release')
})

test('a failure before any work counts as no attempt', () => {
  const away = (retryAfterSeconds?: number) => new ServiceError('inference_failed', 'away', { isNotStarted: true, retryAfterSeconds })
  assert.deepEqual(judgeFailure(away(), 1), { action: 'release', delayMs: 5000 })
  assert.deepEqual(judgeFailure(away(9), 7), { action: 'release', delayMs: 9000 })
})

test('an error reported by a server does not count as deadly, and the retry waits a minute', () => {
  const survived = (retryAfterSeconds?: number) => new ServiceError('inference_failed', 'CUDA', { isEngineAlive: true, retryAfterSeconds })
  const judged = [judgeFailure(survived(), 1), judgeFailure(survived(), 2), judgeFailure(survived(90), 1)]
  assert.deepEqual(
    judged.map((judgement) => judgement.action === 'retry' && [judgement.deadly, judgement.delayMs]),
    [
      [false, 12_000],
      [false, 60_000],
      [false, 90_000],
    ],
  )
})

test('a run over its time limit fails at once', () => {
  assert.equal(judgeFailure(new ServiceError('inference_timeout', 'too long'), 1).action, 'fail')
})

test('later attempts wait longer, so that a crashed model has time to come back', () => {
  const waits = [1, 2, 3].map((attempt) => judgeFailure(new ServiceError('model_loading', 'wait', { retryAfterSeconds: 2 }), attempt))
  assert.deepEqual(
    waits.map((judgement) => judgement.action === 'retry' && judgement.delayMs),
    [2000, 5000, 25_000],
  )
})
