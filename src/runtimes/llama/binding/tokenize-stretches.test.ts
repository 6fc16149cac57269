import assert from 'node:assert/strict'
import { test } from 'node:test'
import { tokenizeStretches } from './tokenize-stretches.ts'

/** Counts a character as a token. */
const spell = (text: string): Uint32Array => Uint32Array.from(text, (character) => character.charCodeAt(0))

test('long text is cut before marks, and nothing is lost', () => {
  const text = `start${'<m>hello'.repeat(5000)}`
  const stretches: string[] = []
  const tokens = tokenizeStretches(text, /<m>/g, (stretch) => {
    stretches.push(stretch)
    return spell(stretch)
  })
  assert.deepEqual(tokens, spell(text))
  assert.ok(stretches.length > 3 && stretches.length < 10)
  assert.ok(stretches.slice(1).every((stretch) => stretch.startsWith('<m>')))
})

test('short text, and text without marks, is left whole', () => {
  const whole = (text: string, marks: RegExp | null): number => {
    let stretches = 0
    tokenizeStretches(text, marks, (stretch) => {
      stretches++
      return spell(stretch)
    })
    return stretches
  }
  assert.deepEqual([whole('<m>a<m>b', /<m>/g), whole('x'.repeat(100_000), /<m>/g), whole('<m>'.repeat(100_000), null)], [1, 1, 1])
})
