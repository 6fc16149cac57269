import assert from 'node:assert/strict'
import { test } from 'node:test'
import { defined } from './defined.ts'

test('members without a value are absent; null, zero, false and empty text are values', () => {
  const width: number | undefined = undefined
  assert.deepEqual(defined({ name: 'a', width, seed: null, steps: 0, tiled: false, prompt: '' }), {
    name: 'a',
    seed: null,
    steps: 0,
    tiled: false,
    prompt: '',
  })
  assert.deepEqual(Object.keys(defined({ width })), [])
})
