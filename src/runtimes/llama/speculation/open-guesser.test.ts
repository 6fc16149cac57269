import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CountingContext } from '../binding/counting-context.ts'
import { requireTakingBack } from './open-guesser.ts'

test('a model that cannot take back tokens is refused when it is loaded', async () => {
  const context = new CountingContext()
  await requireTakingBack(context)
  context.forgets = false
  await assert.rejects(requireTakingBack(context), /remove "speculative"/)
})
