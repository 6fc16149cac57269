import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chooseContextLength } from './context-length.ts'

const room = { bytesPerToken: 1000, sequences: 4, memory: 1e9 }

test('the trained context length is used when memory allows it', () => {
  assert.equal(chooseContextLength({ wanted: null, trained: 8192 }, room), 8192)
  assert.equal(chooseContextLength({ wanted: 1024, trained: 8192 }, room), 1024)
})

test('the context length is reduced until all sequences fit in memory', () => {
  const length = chooseContextLength({ wanted: null, trained: 131_072 }, { ...room, memory: 4e6 })
  assert.equal(length, 768)
})
