import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isValidUnder, RandomAnswers } from '../../../../../test/support/wire/random-answers.ts'
import type { JsonObject, JsonValue } from '../../../../core/json-value.ts'
import { detectToolFormat } from '../../prompt/tool-format.ts'
import { constrainOutput, type OutputConstraint } from '../output-constraint.ts'
import { constrainToolCalls } from '../tool-grammar.ts'

/** A schema as found in real projects. */
interface Everyday {
  readonly schema: JsonObject
  /** The same in plain JSON Schema, without the parts that are not followed; absent = the schema itself. */
  readonly means?: JsonObject
  /** The report about the one part that is not followed; absent = every part is followed. */
  readonly loosened?: RegExp
}

const text = { type: 'string' }
const flag = { type: 'boolean' }
const whole = { type: 'integer' }

/** An object with these members, all required. */
function object(properties: JsonObject, more: JsonObject = {}): JsonObject {
  return { type: 'object', properties, required: Object.keys(properties), ...more }
}

/** An object with the member `a`. */
function member(schema: JsonValue, means?: JsonValue, loosened?: RegExp): Everyday {
  return { schema: object({ a: schema }), ...(means !== undefined && { means: object({ a: means }) }), ...(loosened && { loosened }) }
}

/** The linter mistakes an object with a literal `then` for a promise. */
function thenRequires(name: string): JsonObject {
  return Object.fromEntries([['then', { required: [name] }]])
}

const zod = 'https://json-schema.org/draft/2020-12/schema'
const dog = object({ kind: { type: 'string', const: 'dog' }, barks: flag })
const cat = object({ kind: { type: 'string', const: 'cat' }, lives: whole })
const node = { type: 'object', properties: { value: whole, next: { $ref: '#/$defs/Node' } }, required: ['value'] }
const wordless = '^(?!x)[a-z]{2}$'

const everyday: Readonly<Record<string, Everyday>> = {
  // Annotations and what generators add
  'C# int32': member({ type: 'integer', format: 'int32' }),
  'Rust uint32 with a minimum': member({ type: 'integer', format: 'uint32', minimum: 0 }),
  'Go int64 with its bounds': member({ type: 'integer', format: 'int64', minimum: -(2 ** 63), maximum: 2 ** 63 }),
  'C# double': member({ type: 'number', format: 'double' }),
  'Rust float': member({ type: 'number', format: 'float' }),
  'an unknown format': member({ type: 'string', format: 'decimal' }),
  'format binary': member({ type: 'string', format: 'binary' }),
  'format uri-reference': member({ type: 'string', format: 'uri-reference' }, text),
  contentEncoding: member({ type: 'string', contentEncoding: 'base64', contentMediaType: 'image/png' }),
  extensions: { schema: object({ a: { ...flag, 'x-order': 1, 'x-nullable': false } }, { 'x-internal': { deep: [1] } }) },
  'examples, deprecated, $comment': {
    schema: object(
      { a: { ...flag, title: 'A', example: true, examples: [true], deprecated: true, readOnly: true, $comment: 'c' } },
      { $schema: zod, title: 'T' },
    ),
  },
  'id and $anchor': { schema: { id: 'thing', $anchor: 'thing', ...object({ a: flag }) } },
  'Google’s enumDescriptions and propertyOrdering': {
    schema: object({ a: { type: 'string', enum: ['x', 'y'], enumDescriptions: ['X', 'Y'] }, b: flag }, { propertyOrdering: ['b', 'a'] }),
  },
  'Gemini’s types in capitals': {
    schema: { type: 'OBJECT', properties: { a: { type: 'STRING' }, b: { type: 'ARRAY', items: { type: 'INTEGER' } } }, required: ['a'] },
    means: { type: 'object', properties: { a: text, b: { type: 'array', items: whole } }, required: ['a'] },
  },
  'Gemini’s counts as texts, and its unspecified type': member(
    { type: 'ARRAY', items: { type: 'TYPE_UNSPECIFIED' }, minItems: '1', maxItems: '2' },
    { type: 'array', minItems: 1, maxItems: 2 },
  ),
  'an empty object that PHP wrote': { schema: { type: 'object', properties: [], required: [] }, means: { type: 'object' } },
  'OpenAPI’s nullable: false': member({ type: 'string', nullable: false }),
  'OpenAPI’s nullable: true': member({ type: 'string', nullable: true }, { type: ['string', 'null'] }),
  'nullable enumeration': member({ type: 'string', enum: ['x', 'y'], nullable: true }, { enum: ['x', 'y', null] }),
  'nullable reference in allOf (C#)': {
    schema: { $defs: { E: { enum: ['x'] } }, ...object({ a: { allOf: [{ $ref: '#/$defs/E' }], nullable: true } }) },
    means: object({ a: { enum: ['x', null] } }),
  },
  'a node with a nullable next (C#)': {
    schema: {
      $defs: {
        Node: {
          type: 'object',
          properties: { value: whole, next: { allOf: [{ $ref: '#/$defs/Node' }], nullable: true } },
          required: ['value'],
        },
      },
      $ref: '#/$defs/Node',
    },
    means: {
      $defs: {
        Node: {
          type: 'object',
          properties: { value: whole, next: { anyOf: [{ $ref: '#/$defs/Node' }, { type: 'null' }] } },
          required: ['value'],
        },
      },
      $ref: '#/$defs/Node',
    },
  },
  'trivial keywords': {
    schema: object(
      { a: { type: 'array', items: text, uniqueItems: false, minItems: 0 }, b: { ...text, minLength: 0 } },
      { minProperties: 0, patternProperties: {}, dependentRequired: {}, dependencies: {} },
    ),
  },
  'keywords that are null': member({ type: 'string', description: null, enum: null, format: null, minLength: null, items: null }, text),
  'any (draft 3)': member({ type: 'any' }, true),
  'required at the member, false': member({ ...flag, required: false }, flag),
  'required at the member, true': member({ ...flag, required: true }, flag, /"required" at #\/properties\/a names no members/),

  // References
  'a root reference': { schema: { $ref: '#/$defs/A', $defs: { A: object({ a: flag }) } } },
  'a root reference with definitions (draft 7)': {
    schema: { $schema: 'http://json-schema.org/draft-07/schema#', $ref: '#/definitions/A', definitions: { A: object({ a: flag }) } },
  },
  'a reference with siblings (Pydantic)': {
    schema: { $defs: { E: { type: 'string', enum: ['x', 'y'] } }, ...object({ e: { $ref: '#/$defs/E', default: 'x', description: 'd' } }) },
  },
  'allOf of one reference (Pydantic 1)': {
    schema: { definitions: { E: { enum: ['x', 'y'] } }, ...object({ e: { allOf: [{ $ref: '#/definitions/E' }], default: 'x' } }) },
  },
  'a reference narrowed by a sibling': {
    schema: { $defs: { S: { type: 'string', maxLength: 9 } }, ...object({ a: { $ref: '#/$defs/S', minLength: 2 } }) },
  },
  'a reference by anchor': { schema: { $defs: { A: { $anchor: 'a', ...flag } }, ...object({ a: { $ref: '#a' } }) } },
  'a reference by absolute id': {
    schema: { $id: 'https://x.example/s', $defs: { A: flag }, ...object({ a: { $ref: 'https://x.example/s#/$defs/A' } }) },
    means: object({ a: flag }),
  },
  'a reference to a name inside (TypeBox)': {
    schema: object({ tree: { $id: 'T0', ...object({ nodes: { type: 'array', items: { $ref: 'T0' } } }) } }),
    means: { $defs: { T: object({ nodes: { type: 'array', items: { $ref: '#/$defs/T' } } }) }, ...object({ tree: { $ref: '#/$defs/T' } }) },
  },
  'a linked list': { schema: { $defs: { Node: node }, $ref: '#/$defs/Node' } },
  'a tree through the root': { schema: object({ children: { type: 'array', items: { $ref: '#' } } }) },
  'a tree through a property': {
    schema: object({ tree: object({ left: { anyOf: [text, { $ref: '#/properties/tree' }] } }) }),
  },
  'a reference to another document': {
    schema: object({ a: flag, b: { $ref: 'https://example.com/other.json' } }),
    means: object({ a: flag, b: true }),
    loosened: /"\$ref" at #\/properties\/b must point into the schema itself/,
  },

  // Combinations
  'a type beside oneOf of constants': member({
    type: 'string',
    oneOf: [
      { const: 'x', title: 'X' },
      { const: 'y', title: 'Y' },
    ],
  }),
  'a type beside anyOf': member({ type: ['string', 'null'], anyOf: [{ maxLength: 3 }, { type: 'null' }] }),
  'a type beside allOf': { schema: { type: 'object', allOf: [object({ a: flag }), object({ b: text })] } },
  'a type beside a reference': { schema: { $defs: { A: { enum: ['x', 1] } }, ...object({ a: { type: 'string', $ref: '#/$defs/A' } }) } },
  'a base that is extended': {
    schema: {
      $defs: { Base: object({ id: whole }) },
      allOf: [{ $ref: '#/$defs/Base' }, object({ name: text })],
      unevaluatedProperties: false,
    },
  },
  'one member in two schemas': { schema: { allOf: [object({ a: text }), object({ a: { type: 'string', minLength: 1, maxLength: 8 } })] } },
  'z.intersection of closed objects': {
    schema: { allOf: [object({ a: flag }, { additionalProperties: false }), object({ b: flag }, { additionalProperties: false })] },
    means: object({ a: flag, b: flag }, { additionalProperties: false }),
    loosened: /"additionalProperties" at # forbids members that another schema/,
  },
  'oneOf with a discriminator (Pydantic)': {
    schema: {
      $defs: { Dog: dog, Cat: cat },
      ...object({
        pet: {
          oneOf: [{ $ref: '#/$defs/Dog' }, { $ref: '#/$defs/Cat' }],
          discriminator: { propertyName: 'kind', mapping: { dog: '#/$defs/Dog', cat: '#/$defs/Cat' } },
        },
      }),
    },
  },
  'oneOf with a constant by reference': {
    schema: { $defs: { K: { enum: ['dog'] } }, ...object({ pet: { oneOf: [object({ kind: { $ref: '#/$defs/K' } }), cat] } }) },
  },
  'anyOf beside properties (MCP)': {
    schema: {
      type: 'object',
      properties: { a: flag, b: flag },
      anyOf: [{ required: ['a'] }, { required: ['b'] }],
      additionalProperties: false,
    },
  },
  'a variant of several forms (Rust)': member({
    oneOf: [
      { type: 'string', enum: ['Off'] },
      { type: 'string', enum: ['On', 'Auto'], description: 'd' },
      object({ Timer: whole }, { additionalProperties: false }),
    ],
  }),
  'a union whose tag has a default (Pydantic)': {
    schema: object({
      pet: {
        discriminator: { propertyName: 'kind' },
        oneOf: [
          { type: 'object', properties: { kind: { const: 'dog', default: 'dog' }, barks: flag }, required: ['barks'] },
          { type: 'object', properties: { kind: { const: 'cat', default: 'cat' }, lives: whole } },
        ],
      },
    }),
    means: object({ pet: { oneOf: [dog, object({ kind: { const: 'cat' } }, { properties: { kind: { const: 'cat' }, lives: whole } })] } }),
  },
  'oneOf that overlaps': {
    schema: object({
      a: {
        oneOf: [
          { ...text, minLength: 1, maxLength: 5 },
          { ...text, minLength: 3, maxLength: 9 },
        ],
      },
    }),
    means: object({
      a: {
        anyOf: [
          { ...text, minLength: 1, maxLength: 5 },
          { ...text, minLength: 3, maxLength: 9 },
        ],
      },
    }),
    loosened: /"oneOf" at #\/properties\/a needs options/,
  },
  'anyOf of objects that overlap': { schema: object({ a: { anyOf: [object({ x: flag }), object({ x: flag, y: flag })] } }) },
  'anyOf with null (Optional)': member({ anyOf: [{ type: 'integer' }, { type: 'null' }], default: null, title: 'A' }),
  'two anyOf': member({ allOf: [{ anyOf: [text, whole] }, { anyOf: [whole, { type: 'null' }] }] }, whole),
  'not a type': member({ not: { type: 'null' }, type: ['string', 'null'] }),
  'not a value beside a list': member({ enum: ['x', 'y'], not: { const: 'x' } }),
  'not a value': member({ ...text, not: { enum: ['x'] } }, text, /"not" at #\/properties\/a is supported for types/),
  'a member that is never there': { schema: { type: 'object', properties: { a: flag, b: { not: {} } }, required: ['a'] } },
  'a condition on a text that is not listed': {
    schema: object({ a: text }, { if: { properties: { a: { const: 'x' } } }, ...thenRequires('b') }),
    means: object({ a: text }),
    loosened: /"if" at # is supported for a member whose values are listed/,
  },
  'a condition on two members': {
    schema: object({ a: flag, b: flag }, { if: { properties: { a: { const: true }, b: { const: true } } }, ...thenRequires('c') }),
    means: object({ a: flag, b: flag }),
    loosened: /"if" at # is supported for constants of one member/,
  },
  'then without if': { schema: { ...object({ a: flag }), ...thenRequires('b') } },
  'an enumeration that is partly of another type': member({ type: 'string', enum: ['x', null] }),
  'an enumeration beside lengths': member({ type: 'string', enum: ['x', 'yy'], minLength: 2 }),
  'an enumeration of many types': member({ enum: ['x', 1, null, true, { b: [1] }] }),
  'odd characters in an enumeration': member({ enum: ['"q"', 'é', '🙂', '\n', '\\'] }),

  // Objects
  'no type': { schema: { properties: { a: flag }, required: ['a'] } },
  'additionalProperties true': { schema: { ...object({ a: flag }), additionalProperties: true } },
  'additionalProperties with a schema': { schema: { ...object({ a: flag }), additionalProperties: text } },
  'a dictionary': member({ type: 'object', additionalProperties: { type: 'number' } }),
  'a dictionary of anything': member({ type: 'object', additionalProperties: {} }),
  'a record with names from a list (z.record)': member({
    type: 'object',
    propertyNames: { enum: ['x', 'y'] },
    additionalProperties: flag,
    required: ['x', 'y'],
  }),
  'patternProperties of anything beside properties': { schema: { ...object({ a: flag }), patternProperties: { '^x-': {} } } },
  'a dictionary by pattern': member({ type: 'object', patternProperties: { '^[a-z]{1,3}$': whole }, additionalProperties: false }),
  'a dictionary by any pattern': member({ type: 'object', patternProperties: { '^.*$': text } }),
  'a required member that a pattern may describe': {
    schema: { type: 'object', patternProperties: { '^x-': {} }, additionalProperties: false, required: ['x-a'] },
    means: { type: 'object', required: ['x-a'] },
    loosened: /"patternProperties" at # is not supported beside members/,
  },
  'patternProperties beside properties': {
    schema: { ...object({ a: flag }), patternProperties: { '^x-': text } },
    means: object({ a: flag }),
    loosened: /"patternProperties" at # is not supported beside members/,
  },
  'propertyNames beside properties': {
    schema: { ...object({ a: flag }), propertyNames: { pattern: '^[a-z]+$' } },
    means: object({ a: flag }),
    loosened: /"propertyNames" at # must list the names/,
  },
  'unevaluatedProperties false': { schema: { ...object({ a: flag }), unevaluatedProperties: false } },
  'minProperties beside properties': { schema: { type: 'object', properties: { a: flag, b: flag, c: flag }, minProperties: 2 } },
  'minProperties and maxProperties': {
    schema: { type: 'object', properties: { a: flag, b: flag, c: flag }, minProperties: 1, maxProperties: 1 },
  },
  'a dictionary with one to three members': member({ type: 'object', additionalProperties: text, minProperties: 1, maxProperties: 3 }),
  'a dictionary with two members': member(
    { type: 'object', additionalProperties: text, minProperties: 2 },
    { type: 'object', additionalProperties: text },
    /"minProperties" at #\/properties\/a is supported up to 1/,
  ),
  dependentRequired: { schema: { type: 'object', properties: { a: flag, b: flag, c: flag }, dependentRequired: { a: ['b'], b: ['c'] } } },
  'dependencies (draft 7)': {
    schema: { type: 'object', properties: { card: text, address: text }, dependencies: { card: ['address'] } },
    means: { type: 'object', properties: { card: text, address: text }, dependentRequired: { card: ['address'] } },
  },
  dependentSchemas: {
    schema: { type: 'object', properties: { a: flag }, dependentSchemas: { a: { required: ['b'] } } },
    means: { type: 'object', properties: { a: flag } },
    loosened: /"dependentSchemas" at # is not supported here/,
  },
  'a required member without a schema': { schema: { type: 'object', properties: { a: flag }, required: ['a', 'b'] } },
  'odd names': { schema: object({ 'a"b\nc é': flag, '': flag, constructor: flag, ['x'.repeat(300)]: flag }) },
  'no arguments': { schema: { type: 'object', properties: {} } },
  'any object': { schema: { type: 'object' } },
  'thirty levels': { schema: Array.from({ length: 30 }).reduce<JsonObject>((inside) => object({ a: inside }), object({ a: flag })) },

  // Lists
  minItems: member({ type: 'array', items: flag, minItems: 2, maxItems: 4 }),
  'many items': member({ type: 'array', items: flag, minItems: 1, maxItems: 5000 }),
  'a tuple': member({ type: 'array', prefixItems: [flag, { type: 'null' }], minItems: 2, maxItems: 2 }),
  'a tuple (draft 7)': member(
    { type: 'array', items: [flag, { type: 'null' }], additionalItems: false },
    { type: 'array', prefixItems: [flag, { type: 'null' }], items: false },
  ),
  'a tuple that goes on': member({ type: 'array', prefixItems: [flag], items: whole, minItems: 3 }),
  'a unique flag that has one value': member({ type: 'array', items: { ...flag, const: true }, uniqueItems: true }),
  'unique values from a list': member({ type: 'array', items: { enum: ['x', 'y', 'z'] }, uniqueItems: true, minItems: 1 }),
  'a set': member(
    { type: 'array', items: text, uniqueItems: true },
    { type: 'array', items: text },
    /"uniqueItems" at #\/properties\/a is supported/,
  ),
  contains: member({ type: 'array', contains: text }, { type: 'array' }, /"contains" at #\/properties\/a is not supported/),
  'no items': member({ type: 'array' }),

  // Strings
  'maxLength over 1000': member({ ...text, maxLength: 2000 }),
  'maxLength of a file': member({ ...text, minLength: 1, maxLength: 100_000 }),
  'maxLength of everything': member({ ...text, maxLength: 2_147_483_647 }),
  'minLength over 1000': member({ ...text, minLength: 1500, maxLength: 1600 }),
  'a pattern': member({ ...text, pattern: '^[A-Z]{2}-\\d{3}$' }),
  'a pattern without anchors and a length': member({ ...text, pattern: '\\S', maxLength: 20 }),
  'a pattern that looks ahead': member(
    { ...text, pattern: wordless, maxLength: 9 },
    { ...text, maxLength: 9 },
    /the pattern at #\/properties\/a: lookaround/,
  ),
  'a pattern of letters in any script': member(
    { ...text, pattern: '^\\p{L}+$' },
    text,
    /the pattern at #\/properties\/a: "\\p" is not supported/,
  ),
  'an email with a length (Django)': member({ ...text, format: 'email', maxLength: 254 }),
  'an email with little room': member({ ...text, format: 'email', minLength: 1, maxLength: 50 }),
  'an address with a length': member({ ...text, format: 'uri', minLength: 1, maxLength: 500 }),
  'a date-time with a pattern': member(
    { ...text, format: 'date-time', pattern: '^\\d{4}-\\d{2}-\\d{2}T.*Z$' },
    { ...text, pattern: '^\\d{4}-\\d{2}-\\d{2}T.*Z$' },
  ),
  'a uuid': member({ ...text, format: 'uuid' }),

  // Numbers
  'multipleOf 1': member({ type: 'number', multipleOf: 1 }),
  cents: member({ type: 'number', minimum: 0, multipleOf: 0.01 }),
  'a price above zero': member({ type: 'number', exclusiveMinimum: 0, maximum: 1000, multipleOf: 0.05 }),
  'steps of five': member({ type: 'integer', minimum: 0, multipleOf: 5 }),
  'steps of fifteen within an hour': member({ type: 'integer', minimum: 0, maximum: 60, multipleOf: 15 }),
  'multiples of seven': member({ type: 'integer', multipleOf: 7 }, whole, /"multipleOf" at #\/properties\/a is supported for divisors/),
  'draft 4’s exclusiveMinimum': member({ type: 'number', minimum: 0, exclusiveMinimum: true }, { type: 'number', exclusiveMinimum: 0 }),
  'C#’s smallest double': member(
    { type: 'number', minimum: 5e-324, maximum: 1.7976931348623157e308 },
    { type: 'number', minimum: 0, maximum: 1.7976931348623157e308 },
  ),
  'a bound between integers': member({ type: 'integer', minimum: 0.5 }),
}

const format = detectToolFormat('{{ messages }}')
const written = '<tool_call>\n{"name": "f", "arguments": '

/** Some answers of a grammar, converted by `read`. */
function answersIn(grammar = '', read = (answer: string) => answer): readonly string[] {
  const random = new RandomAnswers(grammar)
  return [1, 2, 3, 4, 5, 6].map((seed) => read(random.write(seed, 120)))
}

for (const [name, { schema, means = schema, loosened }] of Object.entries(everyday)) {
  const check = (constraint: OutputConstraint | null, read?: (answer: string) => string): void => {
    const places = constraint?.loosened ?? []
    assert.equal(places.length, loosened === undefined ? 0 : 1, places.join('\n'))
    if (loosened !== undefined) assert.match(places.join(), loosened)
    for (const answer of answersIn(constraint?.grammar, read)) assert.ok(isValidUnder(means, answer), answer)
  }
  const follow = (strict: boolean) => constrainOutput({ type: 'json_schema', schema, strict })

  test(`${name}: the parameters of a tool`, () => {
    const tools = [{ name: 'f', description: null, parameters: schema }]
    const constraint = constrainToolCalls({ tools, choice: 'required', parallel: false, format: { ...format, tools } }, written)
    check(constraint, (answer) => answer.slice(0, answer.lastIndexOf('}\n</tool_call>')))
  })
  test(`${name}: a response format`, () => check(follow(false)))
  test(`${name}: a strict response format`, () => {
    if (loosened === undefined) assert.equal(follow(true)?.grammar, follow(false)?.grammar)
    else assert.throws(() => follow(true), { code: 'unsupported_parameter', message: loosened })
  })
}
