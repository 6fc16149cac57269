import type { JsonObject, JsonValue } from '../../../../core/json-value.ts'
import { hasEnough, leaveOut } from './disjoint-options.ts'
import { closed } from './flat-schemas.ts'
import type { Branch, Condition } from './read-condition.ts'
import type { FlatSchema } from './read-schema.ts'
import { isNever } from './value-types.ts'

/** An object with some of the values of a member, or without it, and the schemas that hold beside it. */
export interface Way {
  readonly schema: FlatSchema
  readonly beside: readonly Branch[]
}

/** Maximum number of listed values. */
export const maxValues = 256

/**
 * The ways to write an object under conditions about one member. No value is valid in two of them.
 *
 * @param valuesOf The values that a member's schema allows; null = more than it lists.
 * @returns null if the values of the member are needed and not known.
 */
export function waysOf(
  schema: FlatSchema,
  conditions: readonly Condition[],
  { name, valuesOf }: { readonly name: string; readonly valuesOf: (member: JsonValue) => readonly JsonValue[] | null },
): readonly Way[] | null {
  const { properties = {}, required = [] } = schema
  const member = Object.hasOwn(properties, name) ? properties[name] : excludesOthers(schema) ? false : undefined
  const branch = ({ whenMet, otherwise }: Condition, holds: boolean): Branch => (holds ? whenMet : otherwise)
  const without = leaveOut(schema, [name])
  const absent = without === null ? [] : [{ schema: without, beside: conditions.map((each) => branch(each, !each.needsMember)) }]
  if (member !== undefined && isNever(member)) return absent
  const present = { ...schema, required: [...new Set([...required, name])] }
  if (conditions.every(({ values }) => values === null))
    return [{ schema: present, beside: conditions.map((each) => branch(each, true)) }, ...absent]
  const values = member === undefined ? null : valuesOf(member)
  if (values === null || values.length > maxValues) return null
  const judged = values.map((value) => {
    const text = JSON.stringify(value)
    return { value, held: conditions.map(({ values: those }) => those?.has(text) ?? true) }
  })
  const ways = [...Map.groupBy(judged, ({ held }) => held.join()).values()].map((group) => ({
    schema: { ...present, properties: { ...properties, [name]: { enum: group.map(({ value }) => value) } satisfies JsonObject } },
    beside: conditions.map((each, index) => branch(each, group[0]?.held[index] === true)),
  }))
  return [...ways, ...absent]
}

/** Whether an object can have the members that it requires, and as many as it needs. */
export function isPossible(schema: FlatSchema): boolean {
  const { properties = {}, required = [], minProperties = 0, maxProperties = Number.POSITIVE_INFINITY } = schema
  const isExcluded = (name: string): boolean =>
    Object.hasOwn(properties, name) ? properties[name] === false : excludesOthers(closed(schema))
  return hasEnough(schema) && Math.max(new Set(required).size, minProperties) <= maxProperties && !required.some(isExcluded)
}

/** Whether an object can have the members in `properties` only. */
function excludesOthers({ additionalProperties = true, patternProperties = {} }: FlatSchema): boolean {
  return isNever(additionalProperties) && Object.keys(patternProperties).length === 0
}
