import assert from 'node:assert/strict'
import { test } from 'node:test'
import Type from 'typebox'
import { describeSchema } from '../../core/schema/describe-schema.ts'

for (const [schema, words] of [
  [Type.Integer({ minimum: 1, maximum: 200 }), 'an integer from 1 to 200'],
  [Type.Integer({ minimum: 0 }), 'an integer of at least 0'],
  [Type.Number({ maximum: 2 }), 'a number of at most 2'],
  [Type.Number({ exclusiveMinimum: 0, maximum: 50 }), 'a number over 0 and up to 50'],
  [Type.Number({ exclusiveMinimum: 0 }), 'a number over 0'],
  [Type.String(), 'a string'],
  [Type.String({ minLength: 1 }), 'a string of at least 1 character'],
  [Type.String({ minLength: 1, maxLength: 9 }), 'a string of 1 to 9 characters'],
  [Type.String({ pattern: '^a$' }), 'a string matching ^a$'],
  [Type.Boolean(), 'true or false'],
  [Type.Union([Type.Integer(), Type.Null()]), 'an integer, or null'],
  [Type.Enum(['a', 'b']), 'one of "a", "b"'],
  [Type.Literal('a'), '"a"'],
  [Type.Array(Type.String(), { maxItems: 4 }), 'a list of at most 4 entries, each a string'],
  [Type.Array(Type.String(), { maxItems: 0 }), 'an empty list'],
  [Type.Union([Type.String(), Type.Array(Type.Integer())]), 'a string, or a list, each an integer'],
  [Type.Object({}), 'an object'],
  [Type.Union([Type.String(), Type.Object({ a: Type.String() }), Type.Object({})]), 'a string, or an object'],
] as const)
  test(`describes a schema as: ${words}`, () => assert.equal(describeSchema(schema), words))
