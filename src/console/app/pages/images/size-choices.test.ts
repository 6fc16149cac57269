import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sizeChoices } from './size-choices.ts'

test('a list is offered as it is', () => {
  const list = [{ width: 1024, height: 1024 }]
  assert.deepEqual(sizeChoices({ native: { width: 1024, height: 1024 }, sizes: { type: 'list', sizes: list } }), list)
})

test('a range gives usual shapes in multiples of eight within its bounds', () => {
  const choices = sizeChoices({ native: { width: 256, height: 256 }, sizes: { type: 'range', min: 208, max: 320 } })
  assert.deepEqual(choices[0], { width: 256, height: 256 })
  for (const { width, height } of choices) {
    assert.equal((width % 8) + (height % 8), 0)
    assert.ok(Math.min(width, height) >= 208 && Math.max(width, height) <= 320)
  }
})
