import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isValidUnder, RandomAnswers } from '../../../../../test/support/wire/random-answers.ts'
import type { JsonObject } from '../../../../core/json-value.ts'
import { constrainOutput } from '../output-constraint.ts'
import { areDisjoint, tagOptions } from './disjoint-options.ts'

test('of many options with many members, the first without a constant ends the search for a tag', () => {
  const names = Array.from({ length: 100 }, (_, index) => `m${index}`)
  const properties = Object.fromEntries(names.map((name) => [name, {}]))
  const options = names.map(() => ({ type: ['object'] as const, properties, required: names }))
  for (const find of [areDisjoint, tagOptions]) {
    let reads = 0
    const found = find(options, () => {
      reads++
      return {}
    })
    assert.deepEqual([found || null, reads], [null, names.length])
  }
})

const [text, whole, flag] = [{ type: 'string' }, { type: 'integer' }, { type: 'boolean' }]
const object = (properties: JsonObject): JsonObject => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
})
const member = (schema: JsonObject) => ({ schema: object({ a: schema }) })

/** Schemas whose options differ by members, as tools have them. */
const followed: Readonly<Record<string, { readonly schema: JsonObject }>> = {
  'oneOf with required members only': {
    schema: {
      type: 'object',
      properties: { id: whole, name: text, tag: text },
      required: ['tag'],
      oneOf: [{ required: ['id'] }, { required: ['name'] }],
    },
  },
  'oneOf with several required members': {
    schema: {
      type: 'object',
      properties: { a: flag, b: flag, c: flag, d: flag },
      additionalProperties: false,
      oneOf: [{ required: ['a', 'b'] }, { required: ['c'] }, { required: ['c', 'd'] }],
    },
  },
  'oneOf whose options describe members of the parent': {
    schema: {
      type: 'object',
      properties: { path: text, url: text, size: whole },
      oneOf: [
        { required: ['path'], properties: { path: { minLength: 1, maxLength: 9 } } },
        { required: ['url'], properties: { url: { pattern: '^https://[a-z]{1,9}$' }, size: { maximum: 9 } } },
      ],
    },
  },
  'oneOf with required members of a nested object': member({
    type: 'object',
    properties: { id: whole, name: text },
    additionalProperties: false,
    oneOf: [{ required: ['id'] }, { required: ['name'] }],
  }),
  'oneOf of objects with other required members': {
    schema: { oneOf: [object({ id: whole }), object({ name: text })] },
  },
  'anyOf whose options describe members of the parent': {
    schema: {
      type: 'object',
      properties: { a: text, b: whole },
      anyOf: [
        { required: ['a'], properties: { a: { enum: ['x', 'y'] } } },
        { required: ['b'], properties: { b: { minimum: 5 } } },
      ],
    },
  },
  'oneOf with required members, beside null': {
    schema: {
      type: ['object', 'null'],
      properties: { id: whole, name: text },
      oneOf: [{ required: ['id'] }, { required: ['name'] }],
    },
  },
  'dependentRequired with members of an option': {
    schema: {
      type: 'object',
      properties: { id: whole, name: text, x: text, y: text },
      dependentRequired: { x: ['name'], y: ['x'] },
      oneOf: [{ required: ['id'] }, { required: ['name'] }],
    },
  },
  'dependentRequired in a chain': {
    schema: { type: 'object', properties: { a: flag, b: flag, c: flag }, dependentRequired: { b: ['a'], c: ['b'] } },
  },
  'dependentRequired that excludes an option': {
    schema: {
      type: 'object',
      properties: { id: whole, name: text, x: text },
      required: ['x'],
      dependentRequired: { x: ['name'] },
      oneOf: [{ required: ['id'] }, { required: ['name'] }],
    },
  },
  'dependentRequired beside oneOf': {
    schema: {
      type: 'object',
      properties: { id: whole, name: text, street: text, town: text },
      dependentRequired: { street: ['town'] },
      oneOf: [{ required: ['id'] }, { required: ['name'] }],
    },
  },
}

for (const [name, { schema }] of Object.entries(followed))
  test(`${name} is followed in every answer`, () => {
    const constraint = constrainOutput({ type: 'json_schema', schema, strict: true })
    const random = new RandomAnswers(constraint?.grammar ?? '')
    for (let seed = 1; seed <= 30; seed++) {
      const answer = random.write(seed, 120)
      assert.ok(isValidUnder(schema, answer), answer)
    }
  })

test('oneOf of which no option has enough members is loosened', () => {
  const schema = {
    type: 'object',
    properties: { id: whole, name: text },
    minProperties: 2,
    oneOf: [{ required: ['id'] }, { required: ['name'] }],
  }
  const constraint = constrainOutput({ type: 'json_schema', schema, strict: false })
  assert.match(String(constraint?.loosened), /"oneOf" at # needs options/)
})
