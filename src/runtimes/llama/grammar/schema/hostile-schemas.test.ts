import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { ServiceError } from '../../../../core/error.ts'
import type { JsonObject, JsonValue } from '../../../../core/json-value.ts'
import { parseGbnf } from '../../automaton/parse-gbnf.ts'
import { Grammar } from '../gbnf.ts'
import { defineJson } from '../json-rules.ts'
import { type Following, Leeway } from './leeway.ts'
import { SchemaGrammar } from './schema-grammar.ts'

/** CPU time to translate and read one schema, on any machine; most need a tenth of it. */
const mostMs = 250
/** The longest grammar that the engine reads. */
const maxCharacters = 256 * 1024

const list = <Item>(length: number, make: (index: number) => Item): Item[] => Array.from({ length }, (_, index) => make(index))
const record = (length: number, name: string, make: (index: number) => JsonValue): JsonObject =>
  Object.fromEntries(list(length, (index) => [`${name}${index}`, make(index)]))
const definitions = (length: number, make: (next: JsonObject, index: number) => JsonObject): JsonObject => ({
  $defs: record(length, 'a', (index) => (index === length - 1 ? { type: 'integer' } : make({ $ref: `#/$defs/a${index + 1}` }, index))),
  $ref: '#/$defs/a0',
})

const schemas: readonly (readonly [what: string, schema: JsonObject, strictly: RegExp | null])[] = [
  ['2 000 references in a row', definitions(2000, (next) => next), /deeper than 64 levels/],
  ['references to each other', { $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } }, $ref: '#/$defs/a' }, /refers to itself/],
  ['40 doublings by allOf', definitions(40, (next) => ({ allOf: [next, next] })), /more than 64 schemas/],
  ['40 doublings by members', definitions(40, (next) => ({ properties: { l: next, r: next } })), /deeper than 64 levels/],
  ['40 doublings by anyOf', definitions(40, (next) => ({ anyOf: [next, { allOf: [next, { minimum: 1 }] }] })), /64/],
  ['a pointer of 5 000 steps', { $ref: `#${'/properties/a'.repeat(5000)}` }, /points to nothing/],
  ['a pointer through itself', { properties: { a: { $ref: '#/properties/a/properties/a' } } }, /points to nothing/],
  [
    'products of 12 × 8 options',
    { allOf: list(12, (i) => ({ anyOf: list(8, (j) => ({ required: [`p${i}`], properties: { [`p${i}`]: { const: j } } })) })) },
    /more than 64 options together/,
  ],
  [
    'products of 2 to the power of 30 options',
    { allOf: list(30, (i) => ({ anyOf: [{ required: [`a${i}`] }, { minProperties: i }] })) },
    /64 options/,
  ],
  [
    '40 × 60 members put together',
    { allOf: list(40, (i) => ({ properties: record(60, 'p', () => ({ type: 'integer', minimum: i })) })) },
    /too complex to combine/,
  ],
  [
    '60 definitions of 60 members each',
    {
      ...definitions(60, () => ({})),
      $defs: record(60, 'a', (i) => ({ properties: record(60, 'p', (j) => ({ $ref: `#/$defs/a${(i + j) % 60}` })) })),
    },
    /deeper than 64 levels/,
  ],
  [
    '1 000 options that are not distinguished',
    { oneOf: list(1000, (i) => ({ type: 'object', required: [`k${i}`], properties: { [`k${i}`]: {} } })) },
    /differ/,
  ],
  ['11 000 constants', { enum: list(11_000, (i) => `v${i}`) }, null],
  ['long constants', { enum: list(12, (i) => String(i % 10).repeat(9000)) }, null],
  ['more characters than a schema may have', { enum: list(20, (i) => `${i}`.repeat(9000)) }, /at most 131072/],
  [
    'constants beside a pattern that backtracks',
    { type: 'string', pattern: '^(a+)+$', enum: list(50, () => `${'a'.repeat(40)}!`) },
    /"enum" at #/,
  ],
  ['a pattern of counts in counts', { type: 'string', pattern: '^((a{1,1000}){1,1000}){1,1000}$' }, null],
  ['a pattern of 2 000 parentheses', { type: 'string', pattern: `${'('.repeat(2000)}a${')'.repeat(2000)}` }, /the pattern at #/],
  ['a pattern of many wildcards within lengths', { type: 'string', pattern: `${'.*'.repeat(10)}x`, maxLength: 900 }, /the lengths at #/],
  ['500 patterns of names', { type: 'object', patternProperties: record(500, '^(a+)+', () => ({ type: 'integer' })) }, /4096 characters/],
  ['endless lists', { type: 'array', minItems: 1e9 }, /"minItems" at # is supported up to 1000000/],
  ['endless texts', { type: 'string', minLength: 1e9, maxLength: 1e9 }, /"minLength" at # is supported up to 1000000/],
  ['lists of 5 000 places', { type: 'array', prefixItems: list(5000, () => ({ type: 'integer' })) }, null],
  ['8 000 values once each', { type: 'array', uniqueItems: true, items: { enum: list(8000, (i) => i) } }, /"uniqueItems" at #/],
  ['tiny steps', { type: 'number', multipleOf: 1e-15, minimum: 0, maximum: 1 }, /"multipleOf" at #/],
  [
    '500 ranges of many digits',
    { properties: record(500, 'n', (i) => ({ type: 'number', minimum: -123456.789 - i, maximum: 98765432.123 + i })) },
    /too large/,
  ],
  [
    '60 members that ask for others',
    { dependentRequired: record(60, 'p', (i) => [`p${(i + 1) % 60}`]), properties: record(60, 'p', () => ({})) },
    /dependentRequired/,
  ],
  [
    '40 conditions in a row',
    definitions(40, (next) => Object.fromEntries(['if', 'then', 'else'].map((keyword) => [keyword, next]))),
    /"if"/,
  ],
  [
    '40 conditions on members in a row',
    definitions(40, (next) => ({
      properties: { a: { type: 'boolean' } },
      if: { properties: { a: { const: true } } },
      ...Object.fromEntries(['then', 'else'].map((keyword) => [keyword, { properties: { [keyword]: next }, required: [keyword] }])),
    })),
    /deeper than 64 levels/,
  ],
  [
    '70 options in a row beside other keywords',
    list(70, () => 0).reduce<JsonObject>((option) => ({ minProperties: 1, anyOf: [option] }), { required: ['a'] }),
    /deeper than 64 levels/,
  ],
  [
    '40 conditions on different members',
    {
      type: 'object',
      properties: record(40, 'p', () => ({ type: 'boolean' })),
      allOf: list(40, (i) => ({ if: { properties: { [`p${i}`]: { const: true } } }, else: { required: [`q${i}`] } })),
    },
    /too/,
  ],
  [
    '60 values with a condition each',
    {
      type: 'object',
      properties: { a: { enum: list(60, (i) => `v${i}`) }, ...record(60, 'p', () => ({ type: 'integer' })) },
      allOf: list(60, (i) => ({ if: { properties: { a: { const: `v${i}` } } }, else: { required: [`p${i}`] } })),
    },
    /too/,
  ],
  ['10 000 required names', { type: 'object', required: list(10_000, (i) => `r${i}`) }, /./],
  ['a name of 100 000 characters', { type: 'object', properties: { ['x'.repeat(100_000)]: {} } }, null],
]

suite('hostile schemas', () => {
  for (const [what, schema, strictly] of schemas)
    test(what, () => {
      for (const following of ['strict', 'loose', 'tool'] as const) {
        const { outcome, ms } = shortestTime(() => outcomeOf(schema, following))
        if (following === 'strict' && strictly !== null) assert.match(outcome, strictly)
        if (following !== 'loose' && !(following === 'strict' && strictly !== null)) assert.equal(outcome, 'followed', following)
        assert.ok(ms < mostMs, `${following}: ${ms} ms`)
      }
    })
})

/** `followed`, or the reason why not. */
function outcomeOf(schema: JsonObject, following: Following): string {
  const grammar = new Grammar()
  defineJson(grammar)
  try {
    const schemas = new SchemaGrammar(grammar, schema, new Leeway(following, 'response_format'))
    grammar.define('root', following === 'tool' ? schemas.compileObject() : schemas.compile())
  } catch (error) {
    assert.ok(error instanceof ServiceError && error.code === 'unsupported_parameter', String(error))
    return error.message
  }
  const text = grammar.toString()
  assert.ok(text.length <= maxCharacters, `${text.length} characters`)
  parseGbnf(text)
  return 'followed'
}

/** CPU time and not elapsed time, since other tests run at the same time. */
function shortestTime(work: () => string): { readonly outcome: string; readonly ms: number } {
  let outcome = ''
  let ms = Number.POSITIVE_INFINITY
  for (let round = 0; round < 5 && ms >= mostMs; round++) {
    const before = process.cpuUsage()
    outcome = work()
    const { user, system } = process.cpuUsage(before)
    ms = (user + system) / 1000
  }
  return { outcome, ms }
}
