import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { parseJson } from './parse-json.ts'

const size = 5_000_000
const list = (item: string) => `[${`${item},`.repeat(size / (item.length + 1))}0]`
const different = (write: (name: string) => string) => Array.from({ length: size / 12 }, (_, index) => write(index.toString(36))).join(',')

/** Texts that take 20 to 470 ms to parse. */
const costly: Readonly<Record<string, string>> = {
  'nested lists without an end': '['.repeat(size),
  'nested lists': '['.repeat(size / 2) + ']'.repeat(size / 2),
  'nested objects': `${'{"a":'.repeat(size / 6)}0${'}'.repeat(size / 6)}`,
  'empty lists': list('[]'),
  numbers: list('0'),
  'empty objects': list('{}'),
  'objects with different fields': `[${different((name) => `{"${name}":0}`)}]`,
  'one object with very many fields': `{${different((name) => `"${name}":0`)}}`,
  'lists after a string with a quote and backslashes in it': `["\\"\\\\",${'['.repeat(size)}`,
  'a string of quotes': `"${'\\"'.repeat(size / 2)}"`,
}

const honest: Readonly<Record<string, unknown>> = {
  'a long text': { choices: [{ delta: { content: 'a "word" [and] {another}: \\ '.repeat(100_000) } }] },
  'a text in a string that ends with a backslash': { text: `${'[{'.repeat(200_000)}\\` },
  'the log probabilities of a long prompt': {
    choices: [
      {
        logprobs: {
          tokens: Array(9000).fill('token'),
          top_logprobs: Array(9000).fill({ a: -1, b: -2, c: -3, d: -4, e: -5 }),
        },
      },
    ],
  },
  'vectors of many numbers': { data: Array.from({ length: 64 }, (_, index) => ({ index, embedding: Array(4096).fill(0.123456) })) },
}

describe('JSON of other servers', () => {
  for (const [name, text] of Object.entries(costly))
    test(`${name} are rejected before they are parsed`, (context) => {
      const parse = context.mock.method(JSON, 'parse')
      assert.throws(() => parseJson(text), { code: 'inference_failed' })
      assert.equal(parse.mock.callCount(), 0)
    })

  for (const [name, value] of Object.entries(honest))
    test(`${name} is read`, () => {
      assert.deepEqual(parseJson(JSON.stringify(value)), value)
    })

  test('numbers that JSON does not have are read as null, outside of strings', () => {
    const text = String.raw`{"NaN":"NaN, \"Infinity","a":NaN,"b":[-Infinity,1,Infinity]}`
    assert.deepEqual(parseJson(text), { NaN: 'NaN, "Infinity', a: null, b: [null, 1, null] })
    assert.throws(() => parseJson('{"a":NaN'), SyntaxError)
  })

  test('control characters in strings are read as if they were escaped', () => {
    assert.deepEqual(parseJson('{"a\u0001":\n"\ttab\\"\u001b[0m", "b": [NaN, "\n"]}'), { 'a\u0001': '\ttab"\u001b[0m', b: [null, '\n'] })
    assert.throws(() => parseJson('{"a":"\t}'), SyntaxError)
    assert.throws(() => parseJson('{\u0001"a":1}'), SyntaxError)
  })

  test('invalid JSON gets the message of JSON.parse', () => {
    for (const text of ['', '<html>', '"'.padEnd(size, 'a'), `{${' '.repeat(size)}`]) assert.throws(() => parseJson(text), SyntaxError)
  })
})
