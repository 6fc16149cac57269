import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  isLate,
  isOutOfReach,
  makeAnswerError,
  makeBrokenError,
  makeLateError,
  makeOutOfReachError,
  mayStillWork,
  statusOf,
} from './upstream-error.ts'

test('what an operator may look at is in the cause, and in no message for clients', () => {
  for (const [status, hint] of [
    [401, /wants a key, or another one; .* `keyFile`/],
    [403, /the key in the file that `keyFile`/],
    [404, /`url` or `model`/],
    [500, /answered 500\.$/],
  ] as const) {
    const { code, message, cause } = makeAnswerError(status, '{"error":{"message":"a fox"}}', undefined)
    assert.ok(cause instanceof Error)
    assert.match(cause.message, hint)
    assert.equal(code, 'inference_failed')
    assert.doesNotMatch(`${message} ${cause.message}`, /a fox/)
    assert.doesNotMatch(message, /keyFile|url/)
  }
})

test('errors tell whether the server was reached, was late, and may still be at work', () => {
  for (const [error, outOfReach, late, atWork, status] of [
    [makeOutOfReachError(new Error('refused')), true, false, false, undefined],
    [makeLateError('connect', 5000), true, true, false, undefined],
    [makeLateError('idle', 5000), false, true, true, undefined],
    [makeBrokenError('broke its answer off'), false, false, true, undefined],
    [makeAnswerError(504, '', undefined), false, false, true, 504],
    [makeAnswerError(500, '', undefined), false, false, false, 500],
    [makeAnswerError(422, '', undefined), false, false, false, undefined],
    [new Error('ours'), false, false, false, undefined],
  ] as const)
    assert.deepEqual([isOutOfReach(error), isLate(error), mayStillWork(error), statusOf(error)], [outOfReach, late, atWork, status])
})
