import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonObject } from '../../../../core/json-value.ts'
import { constrainOutput } from '../output-constraint.ts'

const compile = (schema: JsonObject) => constrainOutput({ type: 'json_schema', schema, strict: true })

const refusals: readonly (readonly [what: string, schema: JsonObject, message: RegExp])[] = [
  ['a pattern with a lookahead', { type: 'string', pattern: '^(?=a)' }, /the pattern at #: lookaround .* \(at character 3\)/],
  ['an invalid pattern', { type: 'string', pattern: 7 }, /"pattern" at # must be a regular expression/],
  [
    'a pattern longer than maxLength',
    { type: 'string', pattern: '^[ab]+-[ab]+$', maxLength: 9 },
    /the lengths at # must allow every match of the pattern/,
  ],
  [
    'a pattern shorter than minLength',
    { type: 'string', pattern: '^a?[ab]{2}$', minLength: 3 },
    /the lengths at # must allow every match of the pattern/,
  ],
  [
    'a pattern that fits no allowed length',
    { type: 'string', pattern: '^a{5,}$', maxLength: 4 },
    /the lengths at # must allow every match of the pattern/,
  ],
  [
    'a pattern whose turns are longer or shorter than the one length',
    { type: 'string', pattern: '^a(?:b|cc)*$', minLength: 3, maxLength: 3 },
    /the lengths at # must allow every match of the pattern/,
  ],
  [
    'a pattern of which one alternative has no room',
    { type: 'string', pattern: '^$|^a{2,}bcd$', maxLength: 4 },
    /the lengths at # must allow every match of the pattern/,
  ],
  ['a repetition with its bounds reversed', { type: 'string', pattern: '^a{2,1}$|^b$' }, /the pattern at #: a count ends before it begins/],
  [
    'a format longer than maxLength',
    { type: 'string', format: 'email', maxLength: 20 },
    /the lengths at # must allow every match of the format/,
  ],
  [
    'a pattern of which neither it nor its format is known',
    { type: 'string', pattern: '^(?=a)', format: 'iri' },
    /the pattern at #: lookaround/,
  ],
  [
    'patterns that are too large together',
    { prefixItems: [1, 2].map((i) => ({ type: 'string', pattern: `${i}`.repeat(3000) })) },
    /more than 4096 characters together/,
  ],
  [
    'bounds that exclude every number',
    { properties: { x: { type: 'number', minimum: 1, exclusiveMaximum: 1 } } },
    /no number at #\/properties\/x/,
  ],
  ['an invalid bound', { type: 'number', maximum: '1' }, /"maximum" at # must be a number/],
  ['numbers that are too large', { type: 'integer', minimum: 1e15 }, /leave only numbers of more than 15 digits/],
  ['a property that propertyNames excludes', { required: ['b'], propertyNames: { enum: ['a'] } }, /"propertyNames" at # excludes "b"/],
  [
    'propertyNames beside properties',
    { properties: { a: {} }, propertyNames: { pattern: '^b' } },
    /"propertyNames" at # must list the names/,
  ],
  ['options with overlapping types', { oneOf: [{ type: ['string', 'null'] }, { type: 'string' }] }, /"oneOf" at #/],
  ['options with the same constant', { oneOf: [1, 2].map(() => ({ properties: { a: { const: 1 } }, required: ['a'] })) }, /"oneOf" at #/],
  [
    'options with the same constant object in another order',
    {
      oneOf: [{ const: { a: 1, b: 2 } }, { const: { b: 2, a: 1 } }],
    },
    /"oneOf" at #/,
  ],
  [
    'options with constants in different members',
    { oneOf: ['a', 'b'].map((name) => ({ properties: { [name]: { const: 1 } } })) },
    /"oneOf" at #/,
  ],
  [
    'propertyNames beside patternProperties',
    { patternProperties: { b: { type: 'string' } }, propertyNames: { pattern: '^[a-z]+$' } },
    /"propertyNames" at # is not supported beside "patternProperties"/,
  ],
  ['a constant that is not in its enum', { enum: ['a'], const: 'b' }, /"const" at # is not among the values of "enum"/],
  ['multipleOf', { type: 'integer', multipleOf: 3 }, /"multipleOf" at #/],
  ['uniqueItems', { type: 'array', uniqueItems: true }, /"uniqueItems" at #/],
  ['not', { not: {} }, /"not" at #/],
  ['overlapping options', { oneOf: [{ type: 'string' }, { type: 'string' }] }, /"oneOf" at #/],
  ['values of another type', { type: 'string', enum: [1] }, /"enum" at # lists no value that fits its type/],
  ['an external reference', { $ref: 'http://example.com' }, /"\$ref" at #/],
  ['a reference with a broken escape', { $ref: '#/%E0%A4%A' }, /percent sign/],
  ['too many parts', { anyOf: Array.from({ length: 4000 }, (_, i) => ({ maxLength: i })) }, /too large to be followed/],
  ['a missing reference', { $ref: '#/$defs/none' }, /points to nothing/],
  ['a reference to itself', { $defs: { a: { anyOf: [{ $ref: '#/$defs/a' }, {}] } }, $ref: '#/$defs/a' }, /refers to itself/],
  ['a type named after a member of every object', { type: 'toString' }, /type "toString" at #/],
  ['an integer beyond the largest', { type: 'integer', exclusiveMinimum: 999_999_999_999_999 }, /no integer at #/],
  ['an integer beyond the smallest', { type: 'integer', exclusiveMaximum: -999_999_999_999_999 }, /no integer at #/],
  [
    'property names that are not strings',
    { type: 'object', propertyNames: { type: 'number' } },
    /#\/propertyNames is not a schema that a name/,
  ],
  ['propertyNames that match no name', { type: 'object', propertyNames: false }, /#\/propertyNames is not a schema that a name/],
  ['half a surrogate pair', { pattern: '^\\ud83d$' }, /the pattern at #: half of a surrogate pair/],
  ['a class that JavaScript reads differently', { pattern: '^[^][a]$' }, /the pattern at #: "\]" begins a class/],
  ['an unknown type', { type: 'text' }, /type "text" at #/],
  ['an empty enum', { enum: [] }, /"enum" at #/],
  ['lengths that exclude everything', { type: 'array', minItems: 3, maxItems: 2 }, /exclude every value/],
  ['invalid prefixItems', { prefixItems: {} }, /"prefixItems" at # must be a list/],
  ['a schema without valid values', { properties: { x: false }, required: ['x'] }, /#\/properties\/x/],
  [
    'a property that is both required and forbidden',
    { properties: { a: true }, required: ['x'], additionalProperties: false },
    /"required" at # names "x", which "properties" lacks and "additionalProperties" excludes/,
  ],
  [
    'required entries that are not names',
    { properties: { x: {} }, required: [{ toString: 1 }] },
    /"required" at # must be a list of names/,
  ],
  ['a huge schema', { description: 'x'.repeat(270_000) }, /characters/],
]

for (const [what, schema, message] of refusals)
  test(`${what} is rejected by name`, () => {
    assert.throws(() => compile(schema), { code: 'unsupported_parameter', param: 'response_format', message })
  })

test('a schema that is nested too deeply is rejected', () => {
  let schema: JsonObject = { type: 'string' }
  for (let level = 0; level < 70; level++) schema = { type: 'array', items: schema }
  assert.throws(() => compile(schema), /deeper than 64/)
})

test('a list has a value for each of its positions', () => {
  for (const schema of [
    { items: [{ const: 1 }, { const: 'a' }] },
    { type: 'array', prefixItems: [{ const: 1 }, { const: 'a' }], items: false },
  ])
    assert.match(compile(schema)?.grammar ?? '', /"\[" ws \S+ ws "," ws \S+ ws "\]"/)
})

test('equal subschemas share their rules', () => {
  const twice = (count: number) => compile({ anyOf: Array.from({ length: count }, () => ({ type: 'array', items: { maxLength: 9 } })) })
  assert.equal(twice(200)?.grammar.split('\n').length, twice(2)?.grammar.split('\n').length)
})

test('a type referenced many times is translated once', () => {
  let schema: JsonObject = { type: 'integer' }
  // Without memoization these would need 20 to the power of 30 visits.
  for (let depth = 0; depth < 30; depth++) schema = { type: Array.from({ length: 20 }, () => 'array'), items: schema }
  assert.ok((compile(schema)?.grammar.length ?? 0) < 5000)
})

test('repeats at most a hundred characters of a name in a schema', () => {
  const long = 'x y '.repeat(1000)
  const nested = (depth: number): JsonObject => ({ properties: { [long]: depth === 0 ? { type: 'text' } : nested(depth - 1) } })
  for (const schema of [{ type: long }, { required: [long], propertyNames: { enum: ['a'] } }, nested(5)] as const)
    assert.throws(
      () => compile(schema),
      ({ message }: Error) => message.length < 300 && message.includes('…'),
    )
})
