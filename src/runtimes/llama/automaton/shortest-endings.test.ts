import assert from 'node:assert/strict'
import { test } from 'node:test'
import { GrammarFollower } from './grammar-follower.ts'
import { GrammarStates } from './grammar-states.ts'
import { TokenGrammar } from './token-grammar.ts'
import { TokenTrie } from './token-trie.ts'

const end = 256
const words = ['"name":', '", "', '{"', '"}', 'true', 'ab', 'false,']
const spellings = [
  ...Array.from({ length: 256 }, (_, byte) => Uint8Array.of(byte)),
  new Uint8Array(),
  ...words.map((word) => new TextEncoder().encode(word)),
]
const spell = (token: number): Uint8Array => spellings[token] ?? new Uint8Array()
const tokens = { trie: new TokenTrie(spellings.length, spell), spell, ends: [end] }

const json = `value ::= object | list | string | "true" | "false" | [0-9]+
object ::= "{" (string ":" value ("," string ":" value)*)? "}"
list ::= "[" (value ("," value)*)? "]"
string ::= "\\"" [^"\\x00-\\x1f]* "\\""
`

const grammars: Readonly<Record<string, readonly [grammar: string, shortest: string]>> = {
  'any JSON': [`root ::= value\n${json}`, '0'],
  'an object with members': [
    `root ::= "{\\"name\\":" string ",\\"kind\\":" ("\\"cat\\"" | "\\"horse\\"") "}"\n${json}`,
    '{"name":"","kind":"cat"}',
  ],
  'a count': ['root ::= "a"{3,9} "b"? [x-z]', 'aaax'],
  'a list of lists': ['root ::= l\nl ::= "[" (l ("," l)*)? "]"', '[]'],
  'an address': ['root ::= "\\"" [a-z]+ "@" [a-z]+ ("." [a-z]{2,})+ "\\""', '"a@a.aa"'],
  'characters of several bytes': ['root ::= [é-ü]{2} [😀-😂]', 'éé😀'],
  'a rule that recurses endlessly or ends': ['root ::= loop | "ab"\nloop ::= "x" loop', 'ab'],
}

/** Numbers from 0 to `below`, the same ones for each seed. @see Park and Miller 1988 */
function randomNumbers(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state * 48_271) % 2_147_483_647
    return state % below
  }
}

/** The text of a model that chooses tokens at random, within a number of tokens; `ended` = it ended by itself. */
function write(grammar: TokenGrammar, endWithin: number, seed: number): { readonly text: string; readonly ended: boolean } {
  const follower = new GrammarFollower(grammar, { param: 'grammar', endWithin, charge: () => {} })
  const random = randomNumbers(seed)
  const written: number[] = []
  while (written.length < endWithin) {
    const forbidden = new Set(follower.forbidden())
    const allowed = spellings.map((_, token) => token).filter((token) => !forbidden.has(token))
    const token = allowed[random(allowed.length)] ?? end
    if (!follower.accept(token)) written.push(...(follower.endInTime() ?? assert.fail('neither may it come nor is there an ending')))
    else if (token === end) return { text: textOf(written), ended: true }
    else written.push(token)
  }
  return { text: textOf(written), ended: false }
}

function textOf(written: readonly number[]): string {
  return Buffer.concat(written.map(spell)).toString()
}

for (const [name, [text, shortest]] of Object.entries(grammars)) {
  test(`${name} has a shortest ending`, () => {
    const grammar = new TokenGrammar(text, tokens)
    assert.equal(grammar.missing(grammar.start), Buffer.byteLength(shortest))
    const follower = new GrammarFollower(grammar, { param: 'grammar', endWithin: 100, charge: () => {} })
    assert.equal(follower.endInTime(), null)
  })

  test(`${name} is complete within any sufficient number of tokens`, () => {
    const grammar = new TokenGrammar(text, tokens)
    for (let seed = 1; seed <= 40; seed++)
      for (const spare of [1, 2, 3, 7, 30]) {
        const endWithin = Buffer.byteLength(shortest) + spare
        const { text: written, ended } = write(grammar, endWithin, seed)
        assert.ok(ended, `${written} in ${endWithin}`)
      }
  })
}

test('a text with too few tokens left is generated as far as they reach', () => {
  const grammar = new TokenGrammar('root ::= "a"{10}', tokens)
  assert.deepEqual(write(grammar, 5, 1), { text: 'aaaaa', ended: false })
})

test('a grammar without an end is cut off', () => {
  const states = new GrammarStates('root ::= "x" root')
  assert.equal(states.endings.missing(states.start({ left: 1000, spend: () => {} } as never)), Number.POSITIVE_INFINITY)
  assert.equal(write(new TokenGrammar('root ::= "x" root', tokens), 7, 1).text, 'xxxxxxx')
})

test('nesting without a limit is closed at its current depth', () => {
  const grammar = new TokenGrammar('root ::= l\nl ::= "[" l? "]"', tokens)
  const follower = new GrammarFollower(grammar, { param: 'grammar', endWithin: 8_001, charge: () => {} })
  let depth = 0
  while (follower.accept(0x5b)) depth++
  assert.equal(depth, 4_000)
  assert.equal(textOf(follower.endInTime() ?? []), ']'.repeat(4_000))
})
