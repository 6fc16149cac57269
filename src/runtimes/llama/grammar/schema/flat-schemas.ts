import { defined } from '../../../../core/defined.ts'
import { isRecord, type JsonObject, type JsonValue } from '../../../../core/json-value.ts'
import { shortName } from '../../../../core/requests/request-record.ts'
import { SchemaIntersection } from './intersect-schemas.ts'
import type { Leeway } from './leeway.ts'
import type { Branch } from './read-condition.ts'
import { type FlatSchema, type ReadSchema, readSchema } from './read-schema.ts'
import { SchemaReferences } from './schema-reference.ts'
import { namedTypes } from './types-of.ts'

/** Maximum nesting of schemas combined into one. */
const deepest = 64
const nullSchema: JsonObject = { type: 'null' }

/** Reads the parts of a schema, with its references and `allOf` resolved. */
export class FlatSchemas {
  readonly #root: JsonObject
  readonly #leeway: Leeway
  readonly #references: SchemaReferences
  readonly #intersection: SchemaIntersection
  readonly #read = new Map<JsonObject, ReadSchema>()
  readonly #flat = new Map<JsonObject, FlatSchema | null>()

  constructor(root: JsonObject, leeway: Leeway) {
    this.#root = root
    this.#leeway = leeway
    this.#references = new SchemaReferences(root)
    this.#intersection = new SchemaIntersection(leeway)
  }

  get root(): JsonObject {
    return this.#root
  }

  /** Reads the keywords of one schema. @param place For messages. */
  read(schema: JsonObject, place: string): ReadSchema {
    const known = this.#read.get(schema)
    if (known !== undefined) return known
    const read = readSchema(schema, shortName(place), this.#leeway)
    this.#read.set(schema, read)
    return read
  }

  /** The schema that a reference points to; any value where it points to nothing. */
  target(reference: string, place: string): JsonValue {
    const found = this.#references.resolve(reference)
    if (typeof found !== 'string') return found.schema
    this.#leeway.loosen(`"$ref" at ${shortName(place)} ${found}`)
    return true
  }

  /** @returns null when no value can meet it. */
  flatten(schema: JsonValue, place: string, open: readonly JsonObject[] = []): FlatSchema | null {
    if (schema === true) return {}
    if (!isRecord(schema)) return null
    const known = this.#flat.get(schema)
    if (known !== undefined) return known
    if (open.includes(schema)) {
      this.#leeway.mistake(`"$ref" at ${shortName(place)} leads back to itself at once`)
      return {}
    }
    if (open.length >= deepest) {
      this.#leeway.loosen(`it leads through more than ${deepest} schemas at ${shortName(place)}`)
      return {}
    }
    const { $ref: reference, allOf = [], nullable, unevaluatedItems, ...own } = this.read(schema, place)
    const inside = [...open, schema]
    const parts = [
      ...(reference === undefined ? [] : [this.flatten(this.target(reference, place), reference, inside)]),
      ...allOf.map((part, index) => this.flatten(part, `${place}/allOf/${index}`, inside)),
    ]
    const all = parts.reduce<FlatSchema | null>((one, other) => one && other && this.intersect(one, closed(other), place), own)
    const whole = all && unevaluatedItems !== undefined ? { items: unevaluatedItems, ...all } : all
    const flat = nullable && whole ? withNull(whole) : whole
    this.#flat.set(schema, flat)
    return flat
  }

  /** A schema with a part beside it; null when no value meets both. */
  beside(one: FlatSchema, { schema, where }: Branch, place: string): FlatSchema | null {
    const other = this.flatten(schema, where)
    return other && this.intersect(one, closed(other), place)
  }

  /** A schema that holds where both do; null when no value meets both. */
  intersect(one: FlatSchema, other: FlatSchema, place: string): FlatSchema | null {
    return this.#intersection.of(one, other, shortName(place))
  }
}

/** A part of a schema, which closes its object to the members beside it. Members of its options are known only with each option. */
export function closed(schema: FlatSchema): FlatSchema {
  const { unevaluatedProperties, ...open } = schema
  if (unevaluatedProperties === undefined || schema.anyOf !== undefined || schema.oneOf !== undefined || schema.conditions !== undefined)
    return schema
  return { additionalProperties: unevaluatedProperties, ...open }
}

function withNull(schema: FlatSchema): FlatSchema {
  const types = namedTypes(schema)
  const { values, anyOf, oneOf } = schema
  return {
    ...schema,
    ...defined({
      type: types === null ? undefined : [...new Set([...types, 'null' as const])],
      values: values?.includes(null) === false ? [...values, null] : values,
      anyOf: anyOf && [...anyOf, nullSchema],
      oneOf: oneOf && [...oneOf, nullSchema],
    }),
  }
}
