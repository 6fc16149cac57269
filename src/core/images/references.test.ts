import assert from 'node:assert/strict'
import { test } from 'node:test'
import { referenceSize } from './references.ts'

test('a reference keeps its size if it is small and even, and its proportions if it is large', () => {
  assert.deepEqual(referenceSize({ width: 112, height: 96 }, 16), { width: 112, height: 96 })
  assert.deepEqual(referenceSize({ width: 119, height: 97 }, 16), { width: 112, height: 96 })
  assert.deepEqual(referenceSize({ width: 4000, height: 3000 }, 16), { width: 1168, height: 880 })
  assert.deepEqual(referenceSize({ width: 16_000_000, height: 1 }, 16), { width: 8192, height: 16 })
})
