import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isValidUnder, RandomAnswers } from '../../../../../test/support/wire/random-answers.ts'
import type { JsonObject, JsonValue } from '../../../../core/json-value.ts'
import { constrainOutput } from '../output-constraint.ts'

const text = { type: 'string', maxLength: 3 }
const flag = { type: 'boolean' }
const whole = { type: 'integer', minimum: 0, maximum: 9 }

/** The linter mistakes an object with a literal `then` for a promise. */
function branches(then: JsonValue | undefined, otherwise?: JsonValue): JsonObject {
  const all = [
    ['then', then],
    ['else', otherwise],
  ] as const
  return Object.fromEntries(all.flatMap(([keyword, branch]) => (branch === undefined ? [] : [[keyword, branch]])))
}

/** An `if` about a constant of a member. */
function is(name: string, value: JsonValue, more: JsonObject = {}): JsonObject {
  return { properties: { [name]: { const: value } }, ...more }
}

const country = { enum: ['US', 'NL', 'CA'] }
const code = (pattern: string) => ({ properties: { code: { pattern } } })

/** A schema, texts that its grammar has, and texts that it does not. */
const cases: Readonly<Record<string, readonly [schema: JsonObject, has: readonly string[], lacks: readonly string[]]>> = {
  'a member required for one value': [
    { type: 'object', properties: { a: flag, b: whole }, required: ['a'], if: is('a', true), ...branches({ required: ['b'] }) },
    ['{"a":true,"b":1}', '{"a":false,"b":1}', '{"a":false}'],
    ['{"a":true}', '{"b":1}', '{}'],
  ],
  'a condition that a missing member meets': [
    { type: 'object', properties: { a: flag, b: whole }, if: is('a', true), ...branches({ required: ['b'] }, { required: ['a'] }) },
    ['{"a":true,"b":1}', '{"b":1}', '{"a":false}'],
    ['{"a":true}', '{}'],
  ],
  'a condition that a missing member does not meet': [
    { type: 'object', properties: { a: flag, b: whole }, if: is('a', true, { required: ['a'] }), ...branches({ required: ['b'] }) },
    ['{"a":true,"b":1}', '{"b":1}', '{}'],
    ['{"a":true}'],
  ],
  'a type for each of several values, as in the guide to JSON Schema': [
    {
      type: 'object',
      properties: { country, code: { type: 'string' } },
      required: ['country', 'code'],
      allOf: [
        { if: is('country', 'US', { required: ['country'] }), ...branches(code('^[0-9]{2}$')) },
        { if: is('country', 'CA', { required: ['country'] }), ...branches(code('^[A-Z]$')) },
        { if: { properties: { country: { enum: ['NL'] } } }, ...branches(code('^[a-z]$')) },
      ],
    },
    ['{"country":"US","code":"12"}', '{"country":"CA","code":"X"}', '{"country":"NL","code":"x"}'],
    ['{"country":"US","code":"X"}', '{"country":"CA","code":"x"}', '{"country":"NL","code":"12"}', '{"country":"XX","code":"12"}'],
  ],
  'members of each branch': [
    {
      type: 'object',
      properties: { kind: { type: 'string', enum: ['card', 'cash'] } },
      required: ['kind'],
      unevaluatedProperties: false,
      allOf: [
        { if: is('kind', 'card'), ...branches({ properties: { number: whole }, required: ['number'] }) },
        { if: is('kind', 'cash'), ...branches({ properties: { tip: whole } }) },
      ],
    },
    ['{"kind":"card","number":1}', '{"kind":"cash","tip":1}', '{"kind":"cash"}'],
    ['{"kind":"card"}', '{"kind":"cash","number":1}', '{"kind":"card","number":1,"tip":1}'],
  ],
  'a value that is forbidden': [
    { type: 'object', properties: { a: { enum: [1, 2] }, b: flag }, required: ['a'], if: is('a', 2), ...branches(false) },
    ['{"a":1}', '{"a":1,"b":true}'],
    ['{"a":2}'],
  ],
  'members that come together': [
    { type: 'object', properties: { a: text, b: text }, if: { required: ['a'] }, ...branches({ required: ['b'] }, { maxProperties: 0 }) },
    ['{"a":"","b":""}', '{}'],
    ['{"a":""}', '{"b":""}'],
  ],
  'a flag that has one value': [
    {
      type: 'object',
      properties: { a: { ...flag, const: true }, b: whole },
      required: ['a'],
      if: is('a', true),
      ...branches({ required: ['b'] }),
    },
    ['{"a":true,"b":1}'],
    ['{"a":false}', '{"a":true}'],
  ],
  'a flag that may be null': [
    {
      type: 'object',
      properties: { a: { type: ['boolean', 'null'] }, b: whole },
      required: ['a'],
      if: is('a', null),
      ...branches(undefined, { required: ['b'] }),
    },
    ['{"a":null}', '{"a":true,"b":1}', '{"a":false,"b":1}'],
    ['{"a":true}'],
  ],
  'one of 200 values': [
    {
      type: 'object',
      properties: { a: { enum: Array.from({ length: 200 }, (_, index) => index) }, b: whole },
      required: ['a'],
      if: is('a', 7),
      ...branches({ required: ['b'] }),
    },
    ['{"a":7,"b":1}', '{"a":199}'],
    ['{"a":7}', '{"a":200}'],
  ],
  'conditions on members that are never there': [
    {
      type: 'object',
      properties: { b: whole },
      additionalProperties: false,
      allOf: [
        { if: { required: ['a'] }, ...branches({ required: ['b'] }) },
        { if: is('c', 1, { required: ['c'] }), ...branches({ required: ['b'] }) },
      ],
    },
    ['{}', '{"b":1}'],
    ['{"a":1}'],
  ],
  'a branch that requires an excluded member': [
    {
      type: 'object',
      properties: { a: flag, b: whole },
      required: ['a'],
      additionalProperties: false,
      if: is('a', true),
      ...branches({ required: ['c'] }),
    },
    ['{"a":false}', '{"a":false,"b":1}'],
    ['{"a":true}', '{"a":true,"c":1}'],
  ],
  'branches that contradict the members': [
    {
      type: 'object',
      properties: { a: { enum: [1, 2, 3] }, b: whole },
      required: ['a'],
      allOf: [
        { if: is('a', 1), ...branches({ properties: { a: { const: 2 } } }) },
        { if: is('a', 2), ...branches({ properties: { b: { type: 'string' } } }) },
      ],
    },
    ['{"a":2}', '{"a":3}', '{"a":3,"b":1}'],
    ['{"a":1}', '{"a":2,"b":1}', '{"a":2,"b":""}'],
  ],
  'conditions that contradict each other': [
    {
      type: 'object',
      properties: { a: flag, b: whole, c: whole },
      required: ['a'],
      maxProperties: 2,
      allOf: [
        { if: { required: ['c'] }, ...branches({ properties: { b: false } }) },
        { if: is('a', true), ...branches({ required: ['c'] }, { required: ['b'], minProperties: 2 }) },
      ],
    },
    ['{"a":true,"c":1}', '{"a":false,"b":1}'],
    ['{"a":true}', '{"a":false}', '{"a":true,"b":1}'],
  ],
  'conditions in conditions, in a member that may be null': [
    {
      type: 'object',
      properties: {
        x: {
          type: ['object', 'null'],
          properties: { a: flag, b: flag, c: whole },
          required: ['a'],
          if: is('a', true),
          ...branches({ required: ['b'], if: is('b', false), ...branches({ required: ['c'] }) }),
        },
      },
      required: ['x'],
    },
    ['{"x":null}', '{"x":{"a":false}}', '{"x":{"a":true,"b":true}}', '{"x":{"a":true,"b":false,"c":1}}'],
    ['{"x":{"a":true}}', '{"x":{"a":true,"b":false}}'],
  ],
  'a condition beside options': [
    {
      type: 'object',
      properties: { a: flag },
      required: ['a'],
      if: is('a', true),
      ...branches({ required: ['b'] }),
      anyOf: [{ properties: { b: whole } }, { properties: { b: flag, c: whole }, required: ['c'] }],
    },
    ['{"a":true,"b":1}', '{"a":false}', '{"a":true,"b":true,"c":1}', '{"a":false,"c":1}'],
    ['{"a":true}', '{"a":true,"c":1}', '{"a":true,"b":true}'],
  ],
}

describe('if, then and else', () => {
  for (const [name, [schema, has, lacks]] of Object.entries(cases))
    it(`follows ${name}`, () => {
      const constraint = constrainOutput({ type: 'json_schema', schema, strict: true })
      const random = new RandomAnswers(constraint?.grammar ?? '')
      for (const answer of has) assert.ok(isValidUnder(schema, answer) && random.allows(answer), answer)
      for (const answer of lacks) assert.ok(!random.allows(answer), answer)
      for (let seed = 0; seed < 40; seed++) {
        const answer = random.write(seed, 60)
        assert.ok(isValidUnder(schema, answer), answer)
      }
    })

  it('refuses by name what a strict schema says of values that are no objects', () => {
    const schema = {
      type: ['object', 'string'],
      properties: { a: flag },
      required: ['a'],
      if: is('a', true),
      ...branches({ type: 'object' }),
    }
    const follow = (strict: boolean) => constrainOutput({ type: 'json_schema', schema, strict })
    assert.throws(() => follow(true), { code: 'unsupported_parameter', message: /"if" at # is supported for objects only/ })
    assert.equal(follow(false)?.loosened?.length, 1)
  })

  const conditional = (a: JsonObject, test: JsonObject, more: JsonObject = branches({ required: ['b'] })): JsonObject => ({
    type: 'object',
    properties: { a, b: whole },
    required: ['a'],
    allOf: [{ if: test, ...more }],
  })
  const reasons: Readonly<Record<string, readonly [schema: JsonObject, reason: RegExp]>> = {
    'keywords beside an enumeration': [conditional({ enum: ['A', 'B'], pattern: '^A' }, is('a', 'A')), /values are listed, at most 256/],
    'a constant of another type': [
      conditional({ enum: ['x'] }, { properties: { a: { type: 'integer', const: 'x' } } }),
      /"if" at #\/allOf\/0 is supported for constants/,
    ],
    'a branch that is not supported': [
      conditional(flag, is('a', true), branches(undefined, { contains: {} })),
      /"contains" at #\/allOf\/0\/else is not supported/,
    ],
    'a branch about enumerated values that are no objects': [
      { enum: ['x', 1], if: is('a', 1), ...branches({ type: 'number' }) },
      /"if" at # is supported for objects only/,
    ],
  }
  for (const [name, [schema, reason]] of Object.entries(reasons))
    it(`is loosened, or refused in a strict schema, for ${name}`, () => {
      assert.throws(() => constrainOutput({ type: 'json_schema', schema, strict: true }), {
        code: 'unsupported_parameter',
        message: reason,
      })
      assert.match(constrainOutput({ type: 'json_schema', schema, strict: false })?.loosened?.join() ?? '', reason)
    })
})
