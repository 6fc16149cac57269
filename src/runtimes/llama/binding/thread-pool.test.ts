import assert from 'node:assert/strict'
import { test } from 'node:test'
import { choosePatience } from './thread-pool.ts'

test('threads of a large model on every core do not spin between batches', () => {
  assert.equal(choosePatience({ threads: 2, cores: 2, bytes: 98e6 }), 0)
  assert.equal(choosePatience({ threads: 2, cores: 2, bytes: 7.6e6 }), 50)
  assert.equal(choosePatience({ threads: 2, cores: 4, bytes: 98e6 }), 50)
})
