import { isRecord, type JsonObject, type JsonValue } from '../../../../core/json-value.ts'
import { FlatSchemas } from './flat-schemas.ts'
import { Leeway } from './leeway.ts'
import { meets } from './meets.ts'
import { type ObjectMember, readMembers } from './object-rule.ts'
import type { FlatSchema } from './read-schema.ts'
import { typesOf } from './types-of.ts'
import { jsonType, type SchemaType, schemaTypes } from './value-types.ts'

const everything: ReadonlySet<SchemaType> = new Set(schemaTypes)

/** The arguments of a tool as its schema lists them. */
export class ToolParameters {
  /** Required ones first; null when others may come. */
  readonly members: readonly ObjectMember[] | null
  readonly #flat: FlatSchemas
  readonly #schema: FlatSchema

  /** @param leeway Notes what is passed over. */
  constructor(schema: JsonObject, leeway = new Leeway('tool', 'a tool')) {
    this.#flat = new FlatSchemas(schema, leeway)
    const flat = this.#flat.flatten(schema, '#')
    this.#schema = (flat && this.#flat.intersect(flat, { type: ['object'] }, '#')) ?? {}
    const { anyOf, oneOf, minProperties, maxProperties, dependentRequired, conditions } = this.#schema
    this.members = this.#listsAll() ? readMembers(this.#schema, { where: '#', flat: this.#flat, leeway }) : null
    if (this.members === null) return
    for (const [keyword, value] of Object.entries({ anyOf, oneOf, minProperties, maxProperties, dependentRequired, if: conditions }))
      if (value !== undefined) leeway.loosen(`"${keyword}" at # is not supported for arguments of this model's notation`)
  }

  /** The types that an argument may have. */
  typesOf(name: string): ReadonlySet<SchemaType> {
    const { properties = {}, additionalProperties = true } = this.#schema
    const schema = Object.hasOwn(properties, name) ? properties[name] : undefined
    return this.#types(schema ?? additionalProperties, new Set())
  }

  #listsAll(): boolean {
    const { properties, required = [], additionalProperties, patternProperties = {} } = this.#schema
    if (Object.keys(patternProperties).length > 0) return false
    return properties !== undefined || required.length > 0 || additionalProperties === false
  }

  /** @param seen Schemas that were looked at: what they allow is known already. */
  #types(schema: JsonValue, seen: Set<JsonValue>): ReadonlySet<SchemaType> {
    if (!isRecord(schema)) return everything
    if (seen.has(schema)) return new Set()
    seen.add(schema)
    const flat = this.#flat.flatten(schema, '#')
    if (flat === null) return everything
    if (flat.values !== undefined) return new Set(flat.values.filter((value) => meets(value, flat) !== false).map(jsonType))
    const options = flat.anyOf ?? flat.oneOf
    if (options === undefined) return new Set(typesOf(flat))
    const allowed = flat.type === undefined ? everything : new Set(flat.type)
    return new Set(options.flatMap((option) => [...this.#types(option, seen)]).filter((type) => allowed.has(type)))
  }
}

/** Whether a JSON text is a value of one of these types. */
export function isOfTypes(text: string, types: ReadonlySet<SchemaType>): boolean {
  try {
    const type = jsonType(JSON.parse(text))
    return types.has(type) || (type === 'number' && types.has('integer'))
  } catch {
    return false
  }
}
