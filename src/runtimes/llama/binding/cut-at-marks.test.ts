import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cutAtMarks, joinTokens } from './cut-at-marks.ts'

test('long text is split before marks, and nothing is lost', () => {
  const text = `start${'<m>hello'.repeat(5000)}`
  const stretches = cutAtMarks(text, /<m>/g, 8192)
  assert.equal(stretches.join(''), text)
  assert.ok(stretches.length > 3 && stretches.length < 10)
  assert.ok(stretches.slice(1).every((stretch) => stretch.startsWith('<m>')))
})

test('short text and text without marks are not split', () => {
  assert.equal(cutAtMarks('<m>a<m>b', /<m>/g, 8192).length, 1)
  assert.equal(cutAtMarks('x'.repeat(100_000), /<m>/g, 8192).length, 1)
  assert.equal(cutAtMarks('<m>'.repeat(100_000), null, 8192).length, 1)
})

test('tokens are joined in order', () => {
  assert.deepEqual(joinTokens([Uint32Array.of(1, 2), new Uint32Array(), Uint32Array.of(3)]), Uint32Array.of(1, 2, 3))
})
