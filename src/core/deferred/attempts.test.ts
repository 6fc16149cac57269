import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mayRetry } from './attempts.ts'

test('the second attempt that kills the process is the last, and so is the third attempt of any kind', () => {
  assert.equal(mayRetry({ deadly: 1, failed: 1 }), true)
  assert.equal(mayRetry({ deadly: 0, failed: 2 }), true)
  assert.equal(mayRetry({ deadly: 2, failed: 0 }), false)
  assert.equal(mayRetry({ deadly: 1, failed: 2 }), false)
  assert.equal(mayRetry({ deadly: 0, failed: 3 }), false)
})
