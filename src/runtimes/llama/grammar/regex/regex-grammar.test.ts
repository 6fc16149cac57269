import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { GrammarState } from '../../automaton/byte-arrows.ts'
import { Effort } from '../../automaton/effort.ts'
import { GrammarStates } from '../../automaton/grammar-states.ts'
import { regexRule } from './regex-grammar.ts'

function matches(pattern: string, text: string): boolean {
  const effort = new Effort(1_000_000)
  const states = new GrammarStates(`root ::= ${regexRule(pattern)}`)
  let state: GrammarState | null = states.start(effort)
  for (const byte of Buffer.from(text)) state = state === null ? null : states.advance(state, byte, effort)
  return state?.complete === true
}

const texts = [
  '',
  'a',
  'b',
  'ab',
  'aab',
  'abab',
  'a1',
  '1.5',
  '-2',
  'é',
  '€5',
  'x-y',
  'a b',
  'a\tb',
  'a\nb',
  ']',
  '-',
  '^',
  '\\',
  '$5',
  'AB',
  '2026-11-22',
  'ax',
  '"q"',
  'a|b',
  '_',
  '.',
]
const patterns = [
  'a|ab|',
  '(a|b)+',
  '(?:ab)*',
  '(?<first>a)\\d',
  '[a-z]+',
  '[^a-z]+',
  '[-a]+',
  '[a-]+',
  '[]a]+',
  '[\\]\\\\^-]',
  '\\d+(\\.\\d+)?',
  '-?\\d',
  '^\\w+$',
  '\\W',
  '\\S+\\s\\S+',
  '.',
  'a.b',
  '\\d{4}-\\d{2}-\\d{2}',
  'a{2}b',
  'a{1,2}?b',
  'a{1,}b??',
  '\\$\\d',
  '\\u20ac\\x35',
  '[é€5]+',
  '"[^"]*"',
  '\\.',
  'a\\|b',
  '[A-Z\\d]+',
  '',
  '()',
  '(a|)b',
]

for (const pattern of patterns)
  test(`${JSON.stringify(pattern)} matches the same texts as in JavaScript`, () => {
    const expression = new RegExp(`^(?:${pattern})$`, pattern === '[]a]+' ? '' : 'u')
    const expected = pattern === '[]a]+' ? /^[\]a]+$/ : expression
    for (const text of texts) assert.equal(matches(pattern, text), expected.test(text), JSON.stringify(text))
  })

for (const [pattern, message] of [
  ['a(?=b)', /lookaround/],
  ['(?i)a', /flags/],
  ['(a)\\1', /"\\1" is not supported/],
  ['\\bword', /"\\b" is not supported/],
  ['\\p{L}', /"\\p" is not supported/],
  ['a++', /possessive/],
  ['*a', /repeats nothing/],
  ['a^b', /is only allowed at/],
  ['(a', /"\)" is missing/],
  ['a)', /closes nothing/],
  ['[a', /"\]" is missing/],
  ['a\\', /ends with a backslash/],
  ['('.repeat(1000), /deeper than 32/],
] as const)
  test(`${JSON.stringify(pattern).slice(0, 40)} is rejected by name`, () => {
    assert.throws(() => regexRule(pattern), { name: 'GrammarFault', message })
  })
