import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonObject } from '../../../../core/json-value.ts'
import { constrainOutput } from '../output-constraint.ts'

const compile = (schema: JsonObject) => constrainOutput({ type: 'json_schema', schema, strict: true })

const refusals: readonly (readonly [what: string, schema: JsonObject, message: RegExp])[] = [
  ['a pattern that looks ahead', { type: 'string', pattern: '^(?=a)' }, /the pattern at #: lookaround .* \(at character 3\)/],
  ['a pattern that is none', { type: 'string', pattern: 7 }, /"pattern" at # must be a regular expression/],
  [
    'a pattern longer than it may be',
    { type: 'string', pattern: '^[ab]+-[ab]+$', maxLength: 9 },
    /the lengths at # must have room for all of the pattern/,
  ],
  [
    'a pattern shorter than it may be',
    { type: 'string', pattern: '^a?[ab]{2}$', minLength: 3 },
    /the lengths at # must have room for all of the pattern/,
  ],
  [
    'a pattern that no length fits',
    { type: 'string', pattern: '^a{5,}$', maxLength: 4 },
    /the lengths at # must have room for all of the pattern/,
  ],
  [
    'a pattern whose turns are longer or shorter than the one length',
    { type: 'string', pattern: '^a(?:b|cc)*$', minLength: 3, maxLength: 3 },
    /the lengths at # must have room for all of the pattern/,
  ],
  [
    'a pattern of which one alternative has no room',
    { type: 'string', pattern: '^$|^a{2,}bcd$', maxLength: 4 },
    /the lengths at # must have room for all of the pattern/,
  ],
  ['a count that ends before it begins', { type: 'string', pattern: '^a{2,1}$|^b$' }, /the pattern at #: a count ends before it begins/],
  [
    'a format longer than it may be',
    { type: 'string', format: 'email', maxLength: 20 },
    /the lengths at # must have room for all of the format/,
  ],
  [
    'a pattern of which neither it nor its format is known',
    { type: 'string', pattern: '^(?=a)', format: 'iri' },
    /the pattern at #: lookaround/,
  ],
  [
    'patterns without end',
    { prefixItems: [1, 2].map((i) => ({ type: 'string', pattern: `${i}`.repeat(3000) })) },
    /more than 4096 characters together/,
  ],
  [
    'bounds that exclude every number',
    { properties: { x: { type: 'number', minimum: 1, exclusiveMaximum: 1 } } },
    /no number at #\/properties\/x/,
  ],
  ['a bound that is none', { type: 'number', maximum: '1' }, /"maximum" at # must be a number/],
  ['numbers that are too large to be written', { type: 'integer', minimum: 1e15 }, /leave only numbers of more than 15 digits/],
  ['a name that the rule of names excludes', { required: ['b'], propertyNames: { enum: ['a'] } }, /"propertyNames" at # excludes "b"/],
  ['a rule of names beside names', { properties: { a: {} }, propertyNames: { pattern: '^b' } }, /"propertyNames" at # must list the names/],
  ['options whose types overlap', { oneOf: [{ type: ['string', 'null'] }, { type: 'string' }] }, /"oneOf" at #/],
  ['options with one constant', { oneOf: [1, 2].map(() => ({ properties: { a: { const: 1 } }, required: ['a'] })) }, /"oneOf" at #/],
  [
    'options with one constant whose members are in another order',
    {
      oneOf: [{ const: { a: 1, b: 2 } }, { const: { b: 2, a: 1 } }],
    },
    /"oneOf" at #/,
  ],
  ['options whose constant may be missing', { oneOf: [1, 2].map((a) => ({ properties: { a: { const: a } } })) }, /"oneOf" at #/],
  [
    'a rule of names beside patterns of names',
    { patternProperties: { b: { type: 'string' } }, propertyNames: { pattern: '^[a-z]+$' } },
    /"propertyNames" at # is not supported beside "patternProperties"/,
  ],
  ['a constant that its list does not have', { enum: ['a'], const: 'b' }, /"const" at # is not among the values of "enum"/],
  ['a multiple', { type: 'integer', multipleOf: 3 }, /"multipleOf" at #/],
  ['uniqueness', { type: 'array', uniqueItems: true }, /"uniqueItems" at #/],
  ['a negation', { not: {} }, /"not" at #/],
  ['overlapping options', { oneOf: [{ type: 'string' }, { type: 'string' }] }, /"oneOf" at #/],
  ['values of another type', { type: 'string', enum: [1] }, /"enum" at # lists no value of its type/],
  ['an outside reference', { $ref: 'http://example.com' }, /"\$ref" at #/],
  ['a reference with a broken escape', { $ref: '#/%E0%A4%A' }, /percent sign/],
  ['more parts than a grammar may have', { anyOf: Array.from({ length: 4000 }, (_, i) => ({ maxLength: i })) }, /too large to be followed/],
  ['a reference to nothing', { $ref: '#/$defs/none' }, /points to nothing/],
  ['a reference to itself', { $defs: { a: { anyOf: [{ $ref: '#/$defs/a' }, {}] } }, $ref: '#/$defs/a' }, /refers to itself/],
  ['a type that every object has a member of', { type: 'toString' }, /type "toString" at #/],
  ['an integer beyond the largest', { type: 'integer', exclusiveMinimum: 999_999_999_999_999 }, /no integer at #/],
  ['an integer beyond the smallest', { type: 'integer', exclusiveMaximum: -999_999_999_999_999 }, /no integer at #/],
  ['names that are no strings', { type: 'object', propertyNames: { type: 'number' } }, /#\/propertyNames is not a schema that a name/],
  ['a rule that no name meets', { type: 'object', propertyNames: false }, /#\/propertyNames is not a schema that a name/],
  ['half a surrogate pair', { pattern: '^\\ud83d$' }, /the pattern at #: half of a surrogate pair/],
  ['a class that JavaScript reads otherwise', { pattern: '^[^][a]$' }, /the pattern at #: "\]" begins a class/],
  ['an unknown type', { type: 'text' }, /type "text" at #/],
  ['an empty list of values', { enum: [] }, /"enum" at #/],
  ['lengths that exclude everything', { type: 'array', minItems: 3, maxItems: 2 }, /exclude every value/],
  ['a list for each place that is none', { prefixItems: {} }, /"prefixItems" at # must be a list/],
  ['a schema that nothing meets', { properties: { x: false }, required: ['x'] }, /#\/properties\/x/],
  ['a member that must be there and may not', { required: ['x'], additionalProperties: false }, /#\/properties\/x/],
  ['members that are no names', { properties: { x: {} }, required: [{ toString: 1 }] }, /"required" at # must be a list of names/],
  ['a huge schema', { description: 'x'.repeat(270_000) }, /characters/],
]

for (const [what, schema, message] of refusals)
  test(`${what} is refused by name`, () => {
    assert.throws(() => compile(schema), { code: 'unsupported_parameter', param: 'response_format', message })
  })

test('a schema that nests too deep is refused', () => {
  let schema: JsonObject = { type: 'string' }
  for (let level = 0; level < 70; level++) schema = { type: 'array', items: schema }
  assert.throws(() => compile(schema), /deeper than 64/)
})

test('a list has a value for each of its places', () => {
  for (const schema of [
    { items: [{ const: 1 }, { const: 'a' }] },
    { type: 'array', prefixItems: [{ const: 1 }, { const: 'a' }], items: false },
  ])
    assert.match(compile(schema)?.grammar ?? '', /"\[" ws \S+ ws "," ws \S+ ws "\]"/)
})

test('equal parts share their rules', () => {
  const twice = (count: number) => compile({ anyOf: Array.from({ length: count }, () => ({ type: 'array', items: { maxLength: 9 } })) })
  assert.equal(twice(200)?.grammar.split('\n').length, twice(2)?.grammar.split('\n').length)
})

test('a type that is named again and again is looked at once', () => {
  let schema: JsonObject = { type: 'integer' }
  // Looked at each time, these would take 20 to the power of 30 looks.
  for (let depth = 0; depth < 30; depth++) schema = { type: Array.from({ length: 20 }, () => 'array'), items: schema }
  assert.ok((compile(schema)?.grammar.length ?? 0) < 5000)
})

test('repeats no more than a hundred characters of a name that a schema makes up', () => {
  const long = 'x y '.repeat(1000)
  const nested = (depth: number): JsonObject => ({ properties: { [long]: depth === 0 ? { type: 'text' } : nested(depth - 1) } })
  for (const schema of [{ type: long }, { required: [long], propertyNames: { enum: ['a'] } }, nested(5)] as const)
    assert.throws(
      () => compile(schema),
      ({ message }: Error) => message.length < 300 && message.includes('…'),
    )
})
