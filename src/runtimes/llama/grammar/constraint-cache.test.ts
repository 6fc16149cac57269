import assert from 'node:assert/strict'
import { test } from 'node:test'
import { GrammarAllowance } from '../automaton/grammar-allowance.ts'
import { ConstraintCache } from './constraint-cache.ts'
import type { OutputConstraint } from './output-constraint.ts'

const constraint: OutputConstraint = { grammar: 'root ::= "a"', param: 'response_format', endsInTime: false, loosened: [] }
const requested = (account: string) => ({ account, param: 'response_format' })

/** A cache on a stopped clock, and how often it translated. */
function open() {
  let translated = 0
  const cache = new ConstraintCache(new GrammarAllowance(() => 0))
  const make = () => {
    translated++
    return constraint
  }
  return { get: (wish: string, account: string) => cache.get(wish, requested(account), make), translated: () => translated, cache }
}

test('a constraint is translated once for all requests that use it', () => {
  const { get, translated } = open()
  assert.equal(get('{}', 'a'), constraint)
  assert.equal(get('{}', 'b'), constraint)
  assert.equal(translated(), 1)
})

test('an account that sends endless new schemas is rejected before they are translated; known schemas still work', () => {
  const { get, translated } = open()
  const wish = (index: number) => `${index}`.padEnd(40_000)
  let refused = 0
  for (let index = 0; index < 100; index++) {
    try {
      get(wish(index), 'greedy')
    } catch (error) {
      assert.equal(error instanceof Error && 'code' in error && error.code, 'rate_limit_exceeded')
      refused++
    }
  }
  assert.equal(translated() + refused, 100)
  assert.ok(translated() < 10, `${translated()} were translated`)
  assert.equal(get(wish(translated() - 1), 'greedy'), constraint)
  assert.equal(get(wish(99), 'other'), constraint)
})

test('an invalid schema costs its account the time spent finding that out', () => {
  const { cache } = open()
  const fail = () => {
    throw new Error('cannot be followed')
  }
  const attempt = (index: number) => cache.get(`${index}`.padEnd(40_000), requested('greedy'), fail)
  for (let index = 0; index < 10; index++) assert.throws(() => attempt(index))
  assert.throws(() => attempt(10), { code: 'rate_limit_exceeded' })
})

test('schemas of more than a megabyte together are rejected by their field', () => {
  const { get, translated } = open()
  assert.throws(() => get(' '.repeat(1024 * 1024 + 1), 'a'), { code: 'unsupported_parameter', param: 'response_format' })
  assert.equal(translated(), 0)
})
