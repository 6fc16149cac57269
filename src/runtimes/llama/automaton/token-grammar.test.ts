import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Effort } from './effort.ts'
import { GrammarFollower } from './grammar-follower.ts'
import { type SpelledTokens, TokenGrammar } from './token-grammar.ts'
import { TokenTrie } from './token-trie.ts'

const texts = ['', '{', '}', '"', 'a', 'ab', '":', '{"', '"a', 'é', '\n', 'a', '"}']
const parts = [Uint8Array.of(0xc3), Uint8Array.of(0xa9)]
const spellings = [...texts.map((text) => Uint8Array.from(Buffer.from(text))), ...parts]
const end = 0
const spell = (token: number): Uint8Array => spellings[token] ?? new Uint8Array()
const tokens: SpelledTokens = { trie: new TokenTrie(spellings.length, spell), spell, ends: [end] }

/** Follows tokens and returns the spellings allowed next. */
function allowedAfter(grammar: string, ...taken: readonly number[]): string[] {
  const follower = new GrammarFollower(new TokenGrammar(grammar, tokens), requested)
  for (const token of taken) assert.ok(follower.accept(token), String(spell(token)))
  const forbidden = new Set(follower.forbidden())
  return spellings
    .map((_, token) => token)
    .filter((token) => !forbidden.has(token))
    .map((token) => Buffer.from(spell(token)).toString('latin1'))
    .sort()
}

const requested = { param: 'grammar', endWithin: Number.POSITIVE_INFINITY, charge: () => {} }

const object = 'root ::= "{" ("\\"" [a-z\u00e9]* "\\"")? "}"'

test('every token that fits completely is allowed', () => {
  assert.deepEqual(allowedAfter(object), ['{', '{"'])
  assert.deepEqual(allowedAfter(object, 1), ['"', '"a', '}'])
})

test('characters may be split across tokens', () => {
  assert.deepEqual(allowedAfter(object, 7), ['"', '"}', 'a', 'a', 'ab', '\xc3', '\xc3\xa9'])
  assert.deepEqual(allowedAfter(object, 7, 13), ['\xa9'])
})

test('the answer may end where the grammar ends, and nothing may follow', () => {
  assert.deepEqual(allowedAfter(object, 1, 2), [''])
  const follower = new GrammarFollower(new TokenGrammar(object, tokens), requested)
  assert.ok(!follower.accept(end))
  for (const token of [1, 2, end]) assert.ok(follower.accept(token))
  assert.ok(!follower.accept(end))
})

test('a grammar that needs too much work fails the request by the name of its field', () => {
  const follower = new GrammarFollower(new TokenGrammar('root ::= s\ns ::= "a" s s | "a" s | "a"', tokens), requested)
  assert.throws(
    () => {
      for (;;) follower.accept(4)
    },
    { code: 'unsupported_parameter', param: 'grammar' },
  )
})

test('results for a grammar are shared by all its followers', () => {
  const grammar = new TokenGrammar(object, tokens)
  const effort = new Effort(1000)
  grammar.forbidden(grammar.start, effort)
  const { left } = effort
  grammar.forbidden(grammar.start, effort)
  assert.equal(effort.left, left)
})

test('the error of a grammar repeats at most a hundred characters of a rule', () => {
  const long = 'x'.repeat(20_000)
  for (const grammar of [`root ::= ${long}`, `root ::= ${long}\n${long} ::= ${long}`])
    assert.throws(
      () => new TokenGrammar(grammar, tokens),
      ({ message }: Error) => message.length < 200 && message.includes('…'),
    )
})
