import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { GrammarState } from './byte-arrows.ts'
import { Effort } from './effort.ts'
import { GrammarStates } from './grammar-states.ts'

const plenty = 100_000_000

/** The state after a text; null if the grammar does not allow it. */
function read(grammar: string, text: string, effort = new Effort(plenty)): GrammarState | null {
  const states = new GrammarStates(grammar)
  let state: GrammarState | null = states.start(effort)
  for (const byte of Buffer.from(text)) state = state === null ? null : states.advance(state, byte, effort)
  return state
}

const accepts = (grammar: string, text: string): boolean => read(grammar, text)?.complete === true

const grammars: readonly (readonly [what: string, grammar: string, whole: readonly string[], never: readonly string[]])[] = [
  ['a literal', 'root ::= "ab"', ['ab'], ['', 'a', 'abc', 'ba']],
  ['nothing', 'root ::= ""', [''], ['a']],
  ['alternatives', 'root ::= "a" | "ab" | "b"', ['a', 'ab', 'b'], ['', 'abb']],
  ['characters beyond one byte', 'root ::= [ä-ü] "€" [^a] .', ['ö€€🎉', 'ü€\n😀'], ['o€€x', 'ö€ax', 'ö€']],
  ['a range across lengths', 'root ::= [z-\\U0001F600]', ['z', 'é', '€', '😀'], ['y', '😁', '\u{10FFFF}']],
  ['escapes', 'root ::= "\\x41\\u00e9\\U0001F600\\n\\"\\\\" [\\]\\-]', ['Aé😀\n"\\]', 'Aé😀\n"\\-'], ['Aé😀n"\\]']],
  ['a hyphen at the end of a class', 'root ::= [+-]+', ['+-', '-'], [',', '']],
  ['repetitions', 'root ::= "a"{2,3} "b"{2} "c"{1,}', ['aabbc', 'aaabbccc'], ['abbc', 'aaaabbc', 'aabb', 'aabc']],
  ['repetitions of an optional part', 'root ::= ("a"? "b"?){2}', ['', 'a', 'ab', 'abab', 'ba'], ['ababa', 'c']],
  ['nested repetitions', 'root ::= "a"{2}{2}', ['aaaa'], ['aa', 'aaa', 'aaaaa']],
  ['rules on several lines', '# a list\nroot ::= item (\n  "," item # more\n)*\nitem ::= "x" |\n  "y"\n', ['x', 'x,y,x'], ['', 'x,', ',x']],
  ['recursion', 'root ::= "(" root ")" | ""', ['', '()', '((()))'], ['(', '())']],
  ['rules that may be empty', 'root ::= a b "."\na ::= "a"?\nb ::= a "b"?', ['.', 'a.', 'aa.', 'ab.', 'aab.'], ['aaa.', 'ba.']],
  ['a rule that follows itself', 'root ::= a a\na ::= "x" a?', ['xx', 'xxx', 'xxxxx'], ['', 'x']],
]

for (const [what, grammar, whole, never] of grammars)
  test(`accepts ${what}`, () => {
    for (const text of whole) assert.ok(accepts(grammar, text), text)
    for (const text of never) assert.ok(!accepts(grammar, text), text)
  })

/** A rule for each of the first Han characters. */
function codes(count: number, make: (character: string) => string): string {
  return Array.from({ length: count }, (_, index) => make(String.fromCodePoint(0x4e00 + index))).join('')
}

const faults: readonly (readonly [what: string, grammar: string, message: RegExp])[] = [
  ['no root', 'a ::= "x"', /no rule "root"/],
  ['a missing rule', 'root ::= a', /"a" is not defined/],
  ['a left-recursive rule', 'root ::= a\na ::= b? a "x"\nb ::= "y"', /"a" may begin with itself/],
  ['a rule defined twice', 'root ::= "a"\nroot ::= "b"', /"root" is defined twice \(line 2\)/],
  ['an unclosed quote', 'root ::= "a', /ends inside quotes/],
  ['an unclosed parenthesis', 'root ::= ("a"', /"\)" is missing/],
  ['an unknown escape', 'root ::= "\\q"', /no such escape/],
  ['a character that does not exist', 'root ::= "\\UFFFFFFFF"', /no such character/],
  ['a backward range', 'root ::= [z-a]', /ends before it begins/],
  ['a repetition with its bounds reversed', 'root ::= "a"{3,2}', /end before they begin/],
  ['too many repetitions', 'root ::= "a"{20000}', /at most 10000 times/],
  ['deeply nested repetitions', 'root ::= "a"{2}{2}{2}{2}{2}', /at most 4 counts/],
  ['deeply nested parentheses', `root ::= ${'('.repeat(10_000)}`, /nest deeper than 64/],
  ['too many character classes', `root ::= ${codes(1001, (code) => `[^${code}]`)}`, /more than 1000 different classes/],
  ['too many characters', `root ::= "${codes(8001, (code) => code)}"`, /more than 8000 different characters/],
  ['tokens by name', 'root ::= <[1000]>', /tokens cannot be named/],
  ['stray text', 'root ::= "a" }', /"}" is not expected/],
]

for (const [what, grammar, message] of faults)
  test(`rejects ${what}`, () => {
    assert.throws(() => new GrammarStates(grammar), { name: 'GrammarFault', message })
  })

test('agrees with regular expressions on every short text', () => {
  for (const pattern of ['(a|ab)(b|ba)?a*', '(a?b){0,2}(a|b){1,2}', '((a|b)(a|ab))*b?', 'a*a*b{2,}|(ab)+']) {
    const grammar = `root ::= ${pattern.replaceAll(/[ab]/g, '"$&" ')}`
    const expression = new RegExp(`^(${pattern})$`)
    for (let bits = 1; bits < 2 ** 8; bits++) {
      const text = bits.toString(2).slice(1).replaceAll('0', 'a').replaceAll('1', 'b')
      assert.equal(accepts(grammar, text), expression.test(text), `${pattern} on ${text}`)
    }
  }
})

const ambiguous: readonly (readonly [what: string, grammar: string, letter: string])[] = [
  ['lists that match two rules', 'root ::= a\na ::= "[" a "]" | "[" a* "]" | "[" a? "]"', '['],
  ['pairs that can be split anywhere', 'root ::= s\ns ::= "a" s s | "a" s | "a"', 'a'],
  ['words of any length', 'root ::= ("a"+ "a"*)+ "b"', 'a'],
  ['many empty derivations', 'root ::= x\nx ::= "a" (x? x? x?)', 'a'],
]

for (const [what, grammar, letter] of ambiguous)
  test(`${what} cost at most the cube of the text's length`, () => {
    const work = (length: number): number => {
      const effort = new Effort(plenty)
      assert.ok(read(grammar, letter.repeat(length), effort) !== null)
      return plenty - effort.left
    }
    assert.ok(work(200) < 9 * work(100), `${work(100)} and ${work(200)}`)
  })

test('a long chain of rules and a long literal do not overflow the stack', () => {
  const chain = Array.from({ length: 20_000 }, (_, index) => `r${index} ::= r${index + 1}`).join('\n')
  assert.ok(accepts(`root ::= r0\n${chain}\nr20000 ::= "x"`, 'x'))
  const long = 'a'.repeat(20_000)
  assert.ok(accepts(`root ::= "${long}b" | "${long}c"`, `${long}c`))
})

test('discards states without losing its position', () => {
  assert.ok(accepts('root ::= "a"{0,9000} "b"', `${'a'.repeat(9000)}b`))
})
