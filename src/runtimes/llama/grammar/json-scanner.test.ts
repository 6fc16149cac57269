import assert from 'node:assert/strict'
import { test } from 'node:test'
import { JsonScanner } from './json-scanner.ts'

test('ends with the outermost bracket, wherever the fragments end', () => {
  const scanner = new JsonScanner()
  assert.equal(scanner.add('{"a":'), 5)
  assert.equal(scanner.open, true)
  assert.equal(scanner.add('[1]} rest'), 4)
  assert.equal(scanner.open, false)
})

test('ignores brackets and quotes inside strings', () => {
  const scanner = new JsonScanner()
  scanner.add('{"a":"}\\"')
  assert.deepEqual([scanner.inString, scanner.depth], [true, 1])
  scanner.add('\\\\"')
  assert.deepEqual([scanner.inString, scanner.depth], [false, 1])
})

test('reports the outermost member being read', () => {
  const scanner = new JsonScanner()
  scanner.add('{"one":{"inner":1},')
  assert.equal(scanner.member, 'one')
  scanner.add(' "two":')
  assert.equal(scanner.member, 'two')
})
