import assert from 'node:assert/strict'
import { test } from 'node:test'
import { shortName } from './request-record.ts'

test('a name is cut after 100 characters with a visible mark', () => {
  assert.equal(shortName('x'.repeat(100)), 'x'.repeat(100))
  assert.equal(shortName('x'.repeat(101)), `${'x'.repeat(100)}…`)
})

test('an emoji is never cut in two, and counts once', () => {
  assert.equal(shortName('🐯'.repeat(100)), '🐯'.repeat(100))
  assert.equal(shortName(`x${'🐯'.repeat(100)}`), `x${'🐯'.repeat(99)}…`)
})
