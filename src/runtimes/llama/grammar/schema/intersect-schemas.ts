import { isRecord, type JsonObject, type JsonValue } from '../../../../core/json-value.ts'
import type { Leeway } from './leeway.ts'
import type { FlatSchema } from './read-schema.ts'
import { isNever, type SchemaType } from './value-types.ts'

type Mutable = { -readonly [Name in keyof FlatSchema]: FlatSchema[Name] }

const larger = ['minProperties', 'minItems', 'minLength', 'minimum', 'exclusiveMinimum'] as const
const smaller = ['maxProperties', 'maxItems', 'maxLength', 'maximum', 'exclusiveMaximum'] as const
/** Keywords that cannot be combined with another of the same name. */
const single = ['pattern', 'format', 'oneOf', 'not', 'propertyNames', 'patternProperties', 'multipleOf'] as const
/** Options that two `anyOf` have together. */
const maxOptions = 64
/** Members and values looked at for one schema: about 20 ms. */
const maxWork = 25_000

/** Makes one schema of two that both hold. */
export class SchemaIntersection {
  readonly #leeway: Leeway
  readonly #both = new WeakMap<JsonObject, WeakMap<JsonObject, JsonObject>>()
  #work = 0

  constructor(leeway: Leeway) {
    this.#leeway = leeway
  }

  /** @returns null when no value meets both. */
  of(one: FlatSchema, other: FlatSchema, where: string): FlatSchema | null {
    for (const part of [one, other])
      this.#work +=
        10 +
        Object.keys(part.properties ?? {}).length +
        (part.required?.length ?? 0) +
        (part.values?.length ?? 0) +
        (part.conditions?.length ?? 0)
    if (this.#work > maxWork) {
      this.#leeway.loosen(`its parts at ${where} are too complex to combine`)
      return one
    }
    const both: Mutable = { ...one, ...other }
    for (const keyword of larger) if (one[keyword] !== undefined) both[keyword] = Math.max(one[keyword], other[keyword] ?? one[keyword])
    for (const keyword of smaller) if (one[keyword] !== undefined) both[keyword] = Math.min(one[keyword], other[keyword] ?? one[keyword])
    if (one.type && other.type) {
      both.type = commonTypes(one.type, other.type)
      if (both.type.length === 0) return null
    }
    if (one.values && other.values) {
      const known = new Set(other.values.map((value) => JSON.stringify(value)))
      both.values = one.values.filter((value) => known.has(JSON.stringify(value)))
      if (both.values.length === 0) return null
    }
    if (one.items !== undefined && other.items !== undefined) both.items = this.#and(one.items, other.items)
    if (one.prefixItems || other.prefixItems) both.prefixItems = this.#places(one, other)
    if (one.dependentRequired && other.dependentRequired)
      both.dependentRequired = Object.fromEntries(
        [...Object.keys(one.dependentRequired), ...Object.keys(other.dependentRequired)].map((name) => [
          name,
          [...(memberOf(one.dependentRequired, name) ?? []), ...(memberOf(other.dependentRequired, name) ?? [])],
        ]),
      )
    if (one.conditions && other.conditions) both.conditions = [...new Set([...one.conditions, ...other.conditions])]
    if (one.anyOf && other.anyOf) both.anyOf = this.#options(one.anyOf, other.anyOf, where)
    this.#single(one, other, both, where)
    this.#members(one, other, both, where)
    return both
  }

  #options(one: readonly JsonValue[], other: readonly JsonValue[], where: string): readonly JsonValue[] {
    if (one === other) return one
    if (one.length * other.length <= maxOptions) return one.flatMap((mine) => other.map((theirs) => this.#and(mine, theirs)))
    this.#leeway.loosen(`"anyOf" at ${where} appears more than once, with more than ${maxOptions} options together`)
    return one
  }

  #single(one: FlatSchema, other: FlatSchema, both: Mutable, where: string): void {
    for (const keyword of single) {
      if (one[keyword] === undefined || other[keyword] === undefined) continue
      if (one[keyword] === other[keyword]) continue
      if (keyword === 'multipleOf' && isMultiple(other.multipleOf, one.multipleOf)) continue
      else if (keyword === 'multipleOf' && one.multipleOf && isMultiple(one.multipleOf, other.multipleOf)) both.multipleOf = one.multipleOf
      else this.#leeway.loosen(`"${keyword}" at ${where} appears more than once, and only one of them is followed`)
    }
  }

  #members(one: FlatSchema, other: FlatSchema, both: Mutable, where: string): void {
    if (one.required && other.required) both.required = [...new Set([...one.required, ...other.required])]
    const [here, there] = [one.properties, other.properties]
    if (here === undefined && there === undefined) {
      for (const keyword of ['additionalProperties', 'unevaluatedProperties'] as const)
        if (one[keyword] !== undefined && other[keyword] !== undefined) both[keyword] = this.#and(one[keyword], other[keyword])
      return
    }
    const names = new Set([...Object.keys(here ?? {}), ...Object.keys(there ?? {})])
    const needed = new Set(both.required)
    const pairs = [...names].map((name): readonly [string, JsonValue] => {
      const [mine, theirs] = [memberOf(here, name), memberOf(there, name)]
      if (mine !== undefined && theirs !== undefined) return [name, this.#and(mine, theirs)]
      const said = mine ?? theirs ?? true
      const [outside, apart] = mine === undefined ? [one, here] : [other, there]
      const others = outside.additionalProperties ?? true
      const rest = isNever(others) ? false : others
      if (rest === false && outside.patternProperties !== undefined) {
        this.#leeway.loosen(`"patternProperties" at ${where} is not supported beside members of other schemas`)
        return [name, said]
      }
      // Generators close each of several objects that together are one.
      if (rest === false && needed.has(name) && apart !== undefined) {
        this.#leeway.loosen(`"additionalProperties" at ${where} forbids members that another schema of this object requires`)
        return [name, said]
      }
      return [name, this.#and(said, rest)]
    })
    both.properties = Object.fromEntries(pairs)
    if (one.additionalProperties !== undefined && other.additionalProperties !== undefined)
      both.additionalProperties = this.#and(one.additionalProperties, other.additionalProperties)
  }

  #places(one: FlatSchema, other: FlatSchema): readonly JsonValue[] {
    const [here, there] = [one.prefixItems ?? [], other.prefixItems ?? []]
    return Array.from({ length: Math.max(here.length, there.length) }, (_, index) =>
      this.#and(here[index] ?? one.items ?? true, there[index] ?? other.items ?? true),
    )
  }

  /** The schema for values that match both; the same object each time, so that recursive schemas terminate. */
  #and(one: JsonValue, other: JsonValue): JsonValue {
    if (one === true || one === other) return other
    if (other === true) return one
    if (!isRecord(one) || !isRecord(other)) return false
    const known = this.#both.get(one) ?? new WeakMap<JsonObject, JsonObject>()
    this.#both.set(one, known)
    const both = known.get(other) ?? { allOf: [one, other] }
    known.set(other, both)
    return both
  }
}

function memberOf<Value>(members: Readonly<Record<string, Value>> | undefined, name: string): Value | undefined {
  return members !== undefined && Object.hasOwn(members, name) ? members[name] : undefined
}

function commonTypes(one: readonly SchemaType[], other: readonly SchemaType[]): readonly SchemaType[] {
  const narrow = (types: readonly SchemaType[], than: readonly SchemaType[]): readonly SchemaType[] =>
    types.filter((type) => than.includes(type) || (type === 'integer' && than.includes('number')))
  return [...new Set([...narrow(one, other), ...narrow(other, one)])]
}

function isMultiple(value = 1, of = 1): boolean {
  return Number.isInteger(value / of)
}
