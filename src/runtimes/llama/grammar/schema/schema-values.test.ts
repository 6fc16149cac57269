import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RandomAnswers } from '../../../../../test/support/wire/random-answers.ts'
import { isRecord, type JsonObject, type JsonValue } from '../../../../core/json-value.ts'
import { constrainOutput } from '../output-constraint.ts'

/** Checks that every answer of the schema's grammar is valid JSON, and that it allows some answers and refuses others. */
function check(
  schema: JsonObject,
  valid: (value: JsonValue) => boolean,
  { allowed, refused }: { readonly allowed: readonly string[]; readonly refused: readonly string[] },
): void {
  const random = new RandomAnswers(constrainOutput({ type: 'json_schema', schema, strict: true })?.grammar ?? '')
  for (let seed = 1; seed <= 60; seed++) {
    const text = random.write(seed)
    assert.ok(valid(JSON.parse(text)), text)
  }
  for (const text of allowed) assert.ok(random.allows(text), `${text} should be allowed`)
  for (const text of refused) assert.ok(!random.allows(text), `${text} should be refused`)
}

const patterns: readonly (readonly [pattern: string, allowed: readonly string[], refused: readonly string[]])[] = [
  ['^[A-Z]{2}-\\d{3}$', ['AB-123'], ['AB-12', 'xAB-123', 'AB-1234']],
  ['abc', ['abc', 'xabcx', '"abc'], ['', 'ab c']],
  ['^a', ['a', 'ab\n'], ['', 'ba']],
  ['a$', ['a', '\\a'], ['ab', '']],
  ['^$|^https?://', ['', 'http://', 'https://é'], ['x', 'ftp://']],
  ['^.+$', ['a', '"\\\t', '😀'], ['', 'a\nb']],
  ['^[^a-z]$', ['"', '\\', '\n', 'Z', 'é'], ['a', 'ZZ']],
  ['^["\\\\]+$', ['"', '\\', '""\\'], ['', 'a']],
  ['^[\\s\\S]*$', ['', 'a\n"'], []],
  ['^\\S+$', ['a"b'], ['a b', '']],
  ['^\\x00[\\x01-\\x03]$', ['\0\u0001'], ['\0', '\0\u0004']],
  ['^(?:red|green|)$', ['red', 'green', ''], ['blue']],
  ['^\\ud83d\\ude00+$', ['😀', '😀😀'], ['']],
  ['^[\\ud83d\\ude00-\\ud83d\\ude02]$', ['😁'], ['😃']],
  ['^\\w+@\\w+\\.com$', ['a@b.com'], ['a@b,com']],
  ['"', ['"', 'a"b'], ['a']],
]

for (const [pattern, allowed, refused] of patterns)
  test(`accepts strings that match ${JSON.stringify(pattern)}, and no others`, () => {
    const expression = new RegExp(pattern, 'u')
    for (const text of allowed) assert.match(text, expression)
    for (const text of refused) assert.doesNotMatch(text, expression)
    check({ type: 'string', pattern }, (value) => typeof value === 'string' && expression.test(value), {
      allowed: allowed.map((text) => JSON.stringify(text)),
      refused: refused.map((text) => JSON.stringify(text)),
    })
  })

const isWithin: Readonly<Record<string, (value: number, bound: number) => boolean>> = {
  minimum: (value, bound) => value >= bound,
  maximum: (value, bound) => value <= bound,
  exclusiveMinimum: (value, bound) => value > bound,
  exclusiveMaximum: (value, bound) => value < bound,
}

const numbers: readonly (readonly [bounds: JsonObject, allowed: readonly string[], refused: readonly string[]])[] = [
  [{ minimum: 0, maximum: 1 }, ['0', '1', '0.5', '0.0', '1.0', '0.9999999999999999'], ['-0.1', '1.1', '1.00001', '2', '0.', '.5', '1e0']],
  [{ exclusiveMinimum: 0, exclusiveMaximum: 1 }, ['0.1', '0.01', '0.99'], ['0', '1', '0.0', '1.0', '0.000']],
  [
    { minimum: -1.25, maximum: 3.5 },
    ['-1.25', '-1.2', '-1', '0', '3', '3.5', '3.49', '2.999'],
    ['-1.26', '-1.3', '-2', '3.51', '3.6', '4'],
  ],
  [{ minimum: 12.75, maximum: 12.8 }, ['12.75', '12.76', '12.8', '12.80', '12.7501'], ['12.7', '12.74', '12.81', '12', '13']],
  [{ exclusiveMinimum: 0.5, maximum: 0.5625 }, ['0.51', '0.5001', '0.5625', '0.562'], ['0.5', '0.50', '0.5626', '0.57']],
  [{ maximum: -2 }, ['-2', '-2.5', '-300'], ['-1', '0', '2', '-1.9']],
  [{ exclusiveMaximum: 0 }, ['-0.1', '-1'], ['0', '-0', '0.0']],
  [{ minimum: 0 }, ['0', '7.25', '999999999999999'], ['-1', '-0.1']],
  [{ minimum: 3, exclusiveMinimum: 3, maximum: 100 }, ['3.1', '4', '99.9', '100', '100.0'], ['3', '3.0', '100.1', '101']],
  [
    { exclusiveMinimum: 100, exclusiveMaximum: 101 },
    ['100.1', '100.000000000001', '100.999999999999'],
    ['100.00000000000000001', '100.99999999999999999'],
  ],
  [{ exclusiveMinimum: 0.5, exclusiveMaximum: 0.51 }, ['0.501', '0.5099'], ['0.500000000000000001', '0.509999999999999999']],
  [{ exclusiveMinimum: -100 }, ['-99.5', '-99', '7.25'], ['-100', '-99.9999999999999999']],
  [{ minimum: 7, maximum: 7 }, ['7', '7.0'], ['7.1', '6.9']],
]

for (const [bounds, allowed, refused] of numbers)
  test(`accepts numbers within ${JSON.stringify(bounds)}, and no others`, () => {
    const within = (value: JsonValue): boolean =>
      Object.entries(bounds).every(([keyword, bound]) => typeof bound === 'number' && isWithin[keyword]?.(Number(value), bound))
    check({ type: 'number', ...bounds }, within, { allowed, refused })
  })

const formats: readonly (readonly [format: string, valid: RegExp, allowed: readonly string[], refused: readonly string[]])[] = [
  [
    'email',
    /^[\w+-]+(\.[\w+-]+)*@([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,}$/i,
    ['jo.doe+x@mail.example.org'],
    ['jo@', 'jo@host', '.a@b.de', 'a b@c.de'],
  ],
  [
    'hostname',
    /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/,
    ['localhost', 'a-b.example.org'],
    ['-a', 'a..b', ''],
  ],
  [
    'ipv4',
    /^(\d|[1-9]\d|1\d\d|2[0-4]\d|25[0-5])(\.(\d|[1-9]\d|1\d\d|2[0-4]\d|25[0-5])){3}$/,
    ['127.0.0.1', '255.255.249.99'],
    ['256.0.0.1', '01.2.3.4', '1.2.3'],
  ],
  ['ipv6', /^([0-9a-f]{1,4}:){7}[0-9a-f]{1,4}$/, ['2001:db8:0:0:0:0:0:1'], ['::g', '1:2']],
  [
    'duration',
    /^P(?!$)(\d+W|(\d+Y)?(\d+M)?(\d+D)?(T(?=\d)(\d+H)?(\d+M)?(\d+S)?)?)$/,
    ['P1W', 'P1Y2M3D', 'PT5M', 'P1DT12H'],
    ['P', 'PT', '1D', 'P1DT'],
  ],
  ['uri', /^[a-z][a-z0-9]*:\/\/[^\s"\\<>]+$/, ['https://example.org/a/b?c=d#e', 'ftp://a:21'], ['example.org', 'http://', 'http://a b']],
]

for (const [format, valid, allowed, refused] of formats)
  test(`accepts strings of the format ${format}, and no others`, () => {
    for (const text of allowed) assert.match(text, valid)
    const isValid = (value: JsonValue): boolean =>
      typeof value === 'string' && valid.test(value) && (format !== 'uri' || URL.canParse(value))
    check({ type: 'string', format }, isValid, {
      allowed: allowed.map((text) => JSON.stringify(text)),
      refused: refused.map((text) => JSON.stringify(text)),
    })
  })

test('oneOf is supported for objects distinguished by required members', () => {
  const properties = { a: { type: 'null' }, b: { type: 'null' }, c: { type: 'null' } }
  const schema = { type: 'object', properties, additionalProperties: false, oneOf: [{ required: ['a', 'b'] }, { required: ['c'] }] }
  const has = (value: JsonValue, name: string) => isRecord(value) && Object.hasOwn(value, name)
  check(schema, (value) => (has(value, 'a') && has(value, 'b')) !== has(value, 'c'), {
    allowed: ['{"a":null,"b":null}', '{"c":null}', '{"c":null,"a":null}', '{"c":null,"b":null}'],
    refused: ['{}', '{"a":null}', '{"b":null}', '{"a":null,"b":null,"c":null}', '{"c":null,"a":null,"b":null}'],
  })
})

test('oneOf is supported for objects distinguished by a required constant', () => {
  const cat = { type: 'object', properties: { kind: { const: 'cat' }, lives: { type: 'integer' } }, required: ['kind', 'lives'] }
  const dog = { type: 'object', properties: { kind: { enum: ['dog'] } }, required: ['kind'] }
  const schema = { $defs: { cat, dog }, oneOf: [{ $ref: '#/$defs/cat' }, { $ref: '#/$defs/dog' }], discriminator: { propertyName: 'kind' } }
  check(schema, (value) => isRecord(value) && (value.kind === 'dog' || (value.kind === 'cat' && Number.isInteger(value.lives))), {
    allowed: ['{"kind":"cat","lives":9}', '{"kind":"dog"}'],
    refused: ['{"kind":"cat"}', '{"kind":"cow"}'],
  })
})

const strings: readonly (readonly [what: string, schema: JsonObject, allowed: readonly string[], refused: readonly string[]])[] = [
  ['a pattern within lengths', { pattern: '^\\w+$', minLength: 3, maxLength: 5 }, ['abc', 'abcde'], ['ab', 'abcdef', 'a-c']],
  ['a pattern that repeats two characters', { pattern: '^a(?:-\\d)*$', minLength: 2, maxLength: 6 }, ['a-1', 'a-1-2'], ['a', 'a-1-2-3']],
  ['a pattern without an end anchor within a length', { pattern: '^ab', maxLength: 4 }, ['ab', 'abcd'], ['abcde']],
  ['a pattern that always matches', { pattern: '^[A-Z]{3}$', minLength: 1, maxLength: 3 }, ['ABC'], ['AB']],
  ['a pattern beside its format', { pattern: '^[^@]+@example\\.org$', format: 'email' }, ['a@example.org'], ['a@example.com']],
  ['a format beside a pattern with a lookahead', { pattern: '^(?!P$)P', format: 'duration' }, ['P1W'], ['P']],
  ['a format beside a pattern that does not fit', { pattern: '^\\S+@\\S+$', format: 'email', maxLength: 255 }, ['a@b.de'], ['a@b']],
  ['a format within lengths', { format: 'ipv4', minLength: 2, maxLength: 15 }, ['1.2.3.4'], ['1.2.3']],
]

for (const [what, schema, allowed, refused] of strings)
  test(`accepts strings of ${what}, and no others`, () => {
    const { pattern = '', minLength = 0, maxLength = Number.POSITIVE_INFINITY } = schema
    const valid = (value: JsonValue): boolean =>
      typeof value === 'string' &&
      new RegExp(String(pattern), 'u').test(value) &&
      [...value].length >= Number(minLength) &&
      [...value].length <= Number(maxLength)
    check({ type: 'string', ...schema }, valid, {
      allowed: allowed.map((text) => JSON.stringify(text)),
      refused: refused.map((text) => JSON.stringify(text)),
    })
  })

const whole = { type: 'integer', minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER }
const objects: readonly (readonly [what: string, schema: JsonObject, allowed: readonly string[], refused: readonly string[]])[] = [
  ['safe integers', whole, ['0', '-999999999999999'], ['1.5', '1000000000000000']],
  ['bounds between integers', { type: 'integer', exclusiveMinimum: 0.5, maximum: 2.5 }, ['1', '2'], ['0', '3']],
  ['bounds of floats', { type: 'number', minimum: -3.4e38, maximum: 3.4e38 }, ['-1.5', '7'], ['1e99']],
  ['names of any kind', { propertyNames: { type: 'string' }, additionalProperties: whole }, ['{}', '{"a b":1}'], ['{"a":"b"}']],
  ['names of a pattern', { propertyNames: { pattern: '^x' }, additionalProperties: whole }, ['{"xy":1}'], ['{"y":1}']],
  ['names from a list', { propertyNames: { enum: ['a', 'b'] }, additionalProperties: whole }, ['{}', '{"b":1}'], ['{"c":1}']],
  ['required names with the schema of all properties', { required: ['a'], additionalProperties: whole }, ['{"a":1}'], ['{}', '{"a":"b"}']],
  ['forbidden members', { properties: { a: { not: {} }, b: false, c: whole } }, ['{}', '{"c":1}'], ['{"a":1}', '{"b":1}']],
  [
    'members of several schemas',
    { $defs: { a: { properties: { a: whole }, required: ['a'] } }, allOf: [{ $ref: '#/$defs/a' }], properties: { b: whole } },
    ['{"a":1}', '{"a":1,"b":2}'],
    ['{"b":2}', '{"c":1}'],
  ],
  [
    'a type beside options',
    { type: 'object', anyOf: [{ properties: { a: whole } }, { type: 'object', required: ['b'] }] },
    ['{"a":1}', '{"b":"c"}'],
    ['1'],
  ],
  [
    'a reference into a list',
    { properties: { a: { anyOf: [whole, { type: 'null' }] }, b: { $ref: '#/properties/a/anyOf/0' } } },
    ['{"a":null,"b":1}'],
    ['{"b":null}'],
  ],
  ['constants of the given type', { type: ['string', 'null'], enum: ['a', null, 1] }, ['"a"', 'null'], ['1']],
  ['forbidden members beside others', { properties: { a: false }, additionalProperties: true }, ['{}'], ['{"a":1}']],
  [
    'a type list that includes strings for names',
    { propertyNames: { type: ['string', 'null'], minLength: 1 } },
    ['{"a":1}'],
    ['{null:1}', '{"":1}'],
  ],
  [
    'members closed by one of several schemas',
    { properties: { b: whole }, allOf: [{ properties: { a: whole }, unevaluatedProperties: false }] },
    ['{}', '{"a":1}'],
    ['{"b":1}', '{"a":1,"b":1}'],
  ],
  [
    'members closed by a schema without valid values',
    { properties: { b: whole }, allOf: [{ properties: { a: whole }, unevaluatedProperties: { not: {} } }] },
    ['{}', '{"a":1}'],
    ['{"b":1}'],
  ],
  [
    'items that follow those of another schema',
    { type: 'array', allOf: [{ prefixItems: [whole] }], unevaluatedItems: false, minItems: 1 },
    ['[1]'],
    ['[]', '["a"]', '[1,2]'],
  ],
  ['a constant from its enum', { enum: ['a', 'b'], const: 'b' }, ['"b"'], ['"a"']],
  ['no other members', { properties: { a: { not: {} } }, additionalProperties: false }, ['{}'], ['{"a":1}', '{"b":1}']],
]

for (const [what, schema, allowed, refused] of objects)
  test(`accepts values with ${what}`, () => {
    check(schema, () => true, { allowed, refused })
  })
