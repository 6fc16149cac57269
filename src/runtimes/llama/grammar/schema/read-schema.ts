import { defined } from '../../../../core/defined.ts'
import { isRecord, type JsonObject, type JsonValue } from '../../../../core/json-value.ts'
import { shortName } from '../../../../core/requests/request-record.ts'
import type { Leeway } from './leeway.ts'
import { type Condition, readCondition } from './read-condition.ts'
import { stringFormats } from './string-formats.ts'
import { isSchemaType, type SchemaType } from './value-types.ts'

/**
 * The validation keywords of one schema, normalized. Annotations, unknown keywords and keywords without effect are removed, and differences
 * between drafts and generators are unified. Nested schemas are unchanged.
 */
export type ReadSchema = ReturnType<typeof readKeywords>

/** A schema without references and `allOf`. */
export type FlatSchema = Omit<ReadSchema, '$ref' | 'allOf' | 'nullable' | 'unevaluatedItems'>

/** Say which values are valid, and have no grammar. */
const unfollowed = ['contains', 'dependentSchemas', '$dynamicRef', '$recursiveRef', 'disallow']
/** As in the first drafts of JSON Schema, and in Gemini's schemas. */
const anyTypes = ['any', 'type_unspecified']

/** Reads one schema. @param where Its place, for messages. */
export function readSchema(schema: JsonObject, where: string, leeway: Leeway): ReadSchema {
  const read = new KeywordReader(schema, where, leeway)
  read.loosenUnfollowed()
  return readKeywords(schema, read)
}

function readKeywords(schema: JsonObject, read: KeywordReader) {
  const tuple = Array.isArray(schema.items)
  const prefixItems = tuple ? read.schemas('items', 0) : read.schemas('prefixItems', 0)
  const more = tuple ? read.schema('additionalItems') : read.schema('items')
  return defined({
    $ref: read.text('$ref'),
    allOf: read.schemas('allOf'),
    anyOf: read.schemas('anyOf'),
    oneOf: read.schemas('oneOf'),
    /** From `if`, `then` and `else`. */
    conditions: read.conditions(),
    not: schema.not === false ? undefined : read.schema('not'),
    type: read.types(),
    /** From `enum` or `const`. */
    values: read.values(),
    /** Whether null is valid too (OpenAPI 3.0). */
    nullable: read.flag('nullable'),
    properties: read.record('properties'),
    patternProperties: read.record('patternProperties'),
    required: read.required(),
    additionalProperties: read.schema('additionalProperties'),
    unevaluatedProperties: read.schema('unevaluatedProperties'),
    propertyNames: schema.propertyNames === true ? undefined : read.schema('propertyNames'),
    minProperties: read.count('minProperties'),
    maxProperties: read.count('maxProperties'),
    dependentRequired: read.dependent(),
    prefixItems,
    /** Schema of the items after those of `prefixItems`. */
    items: more,
    /** Of the items that neither it nor a schema in it describes. */
    unevaluatedItems: read.schema('unevaluatedItems'),
    minItems: read.count('minItems'),
    maxItems: read.count('maxItems'),
    uniqueItems: read.flag('uniqueItems'),
    minLength: read.count('minLength'),
    maxLength: read.count('maxLength'),
    pattern: read.text('pattern', 'a regular expression'),
    format: read.format(),
    minimum: read.inclusive('minimum', 'exclusiveMinimum'),
    exclusiveMinimum: read.exclusive('exclusiveMinimum', 'minimum'),
    maximum: read.inclusive('maximum', 'exclusiveMaximum'),
    exclusiveMaximum: read.exclusive('exclusiveMaximum', 'maximum'),
    multipleOf: read.multiple(),
  })
}

class KeywordReader {
  readonly #schema: JsonObject
  readonly #where: string
  readonly #leeway: Leeway

  constructor(schema: JsonObject, where: string, leeway: Leeway) {
    this.#schema = schema
    this.#where = where
    this.#leeway = leeway
  }

  loosenUnfollowed(): void {
    for (const keyword of unfollowed)
      if (this.#get(keyword) !== undefined) this.#leeway.loosen(`"${keyword}" at ${this.#where} is not supported here`)
  }

  conditions(): readonly Condition[] | undefined {
    const test = this.#get('if')
    const [then, otherwise] = test === undefined ? [] : [this.schema('then'), this.schema('else')]
    if (test === undefined || [then, otherwise].every((branch) => branch === undefined || branch === true)) return undefined
    const condition = readCondition(test, {
      whenMet: { schema: then ?? true, where: `${this.#where}/then` },
      otherwise: { schema: otherwise ?? true, where: `${this.#where}/else` },
    })
    if (condition !== null) return [condition]
    this.#leeway.loosen(`"if" at ${this.#where} is supported for constants of one member, or its presence`)
    return undefined
  }

  text(keyword: string, kind = 'a text'): string | undefined {
    return this.#checked(keyword, (value) => (typeof value === 'string' ? value : null), kind)
  }

  schema(keyword: string): JsonValue | undefined {
    const isSchema = (value: JsonValue): value is JsonObject | boolean => isRecord(value) || typeof value === 'boolean'
    return this.#checked(keyword, (value) => (isSchema(value) ? value : null), 'a schema')
  }

  schemas(keyword: string, least = 1): readonly JsonValue[] | undefined {
    const isList = (value: JsonValue): value is readonly JsonValue[] => Array.isArray(value) && value.length >= least
    return this.#checked(
      keyword,
      (value) => (isList(value) ? value : null),
      least === 0 ? 'a list of schemas' : 'a list of schemas, at least one',
    )
  }

  /** PHP and Lua write an empty object as a list. */
  record(keyword: string): JsonObject | undefined {
    const read = (value: JsonValue): JsonObject | null => (isRecord(value) ? value : Array.isArray(value) && value.length === 0 ? {} : null)
    return this.#checked(keyword, read, 'an object')
  }

  /** Draft 3 has `required: true` at the member itself. */
  required(): readonly string[] | undefined {
    if (typeof this.#get('required') === 'boolean') {
      if (this.#get('required') === true) this.#leeway.loosen(`"required" at ${this.#where} names no members; list them at the object`)
      return undefined
    }
    return this.#checked('required', (value) => (isListOfNames(value) ? value : null), 'a list of names')
  }

  dependent(): Readonly<Record<string, readonly string[]>> | undefined {
    const all = { ...(this.record('dependencies') ?? {}), ...(this.record('dependentRequired') ?? {}) }
    const lists = Object.entries(all).flatMap(([name, value]): readonly (readonly [string, readonly string[]])[] => {
      if (isListOfNames(value)) return [[name, value]]
      this.#leeway.loosen(`"dependencies" at ${this.#where} is supported with lists of names only`)
      return []
    })
    return lists.length === 0 ? undefined : Object.fromEntries(lists)
  }

  /** Gemini's schemas have counts as texts. */
  count(keyword: string): number | undefined {
    const read = (value: JsonValue): number | null => {
      const count = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value
      return typeof count === 'number' && Number.isInteger(count) && count >= 0 ? count : null
    }
    return this.#checked(keyword, read, 'a whole number')
  }

  number(keyword: string): number | undefined {
    return this.#checked(keyword, (value) => (typeof value === 'number' ? value : null), 'a number')
  }

  flag(keyword: string): true | undefined {
    return this.#get(keyword) === true ? true : undefined
  }

  multiple(): number | undefined {
    const value = this.number('multipleOf')
    if (value === undefined || value > 0) return value
    this.#leeway.mistake(`"multipleOf" at ${this.#where} must be a number above 0`)
    return undefined
  }

  /** Draft 4 has flags that say of the other bound that it is excluded. */
  inclusive(bound: string, flag: string): number | undefined {
    return this.#schema[flag] === true ? undefined : this.number(bound)
  }

  exclusive(bound: string, other: string): number | undefined {
    if (this.#schema[bound] === true) return this.number(other)
    return this.#schema[bound] === false ? undefined : this.number(bound)
  }

  /** Formats of numbers and unknown formats are annotations. */
  format(): string | undefined {
    const { format } = this.#schema
    return typeof format === 'string' && Object.hasOwn(stringFormats, format) ? format : undefined
  }

  types(): readonly SchemaType[] | undefined {
    const named = this.#get('type')
    if (named === undefined) return undefined
    const names: readonly JsonValue[] = Array.isArray(named) ? named : [named]
    if (names.length === 0) this.#leeway.mistake(`"type" at ${this.#where} must be a type name or a list of them`)
    const types = new Set<SchemaType>()
    for (const name of new Set(names)) {
      // Gemini's schemas have them in capitals.
      const type = typeof name === 'string' ? name.toLowerCase() : ''
      if (anyTypes.includes(type)) return undefined
      if (isSchemaType(type)) types.add(type)
      else this.#leeway.mistake(`the type ${shortName(JSON.stringify(name))} at ${this.#where} does not exist`)
    }
    return types.size === 0 ? undefined : [...types]
  }

  values(): readonly JsonValue[] | undefined {
    const { const: constant, enum: values } = this.#schema
    if (constant !== undefined) {
      const isListed = !Array.isArray(values) || values.some((value) => JSON.stringify(value) === JSON.stringify(constant))
      if (!isListed) this.#leeway.mistake(`"const" at ${this.#where} is not among the values of "enum"`)
      return [constant]
    }
    if (values === undefined || values === null) return undefined
    if (Array.isArray(values) && values.length > 0) return values
    this.#leeway.mistake(`"enum" at ${this.#where} must list at least one value`)
    return undefined
  }

  #checked<Value>(keyword: string, read: (value: JsonValue) => Value | null, kind: string): Value | undefined {
    const value = this.#get(keyword)
    if (value === undefined) return undefined
    const found = read(value)
    if (found !== null) return found
    this.#leeway.mistake(`"${keyword}" at ${this.#where} must be ${kind}`)
    return undefined
  }

  /** Generators write null for what they leave out. */
  #get(keyword: string): JsonValue | undefined {
    return this.#schema[keyword] ?? undefined
  }
}

function isListOfNames(value: JsonValue): value is readonly string[] {
  return Array.isArray(value) && value.every((name) => typeof name === 'string')
}
