import type { JsonObject, JsonValue } from '../../../../core/json-value.ts'
import { hasEnough, leaveOut } from './disjoint-options.ts'
import type { Condition } from './read-condition.ts'
import type { FlatSchema } from './read-schema.ts'
import { isNever } from './value-types.ts'

/** An object with some of the values of a member, or without it, and the schemas that hold beside it. */
export interface Way {
  readonly schema: FlatSchema
  readonly beside: readonly JsonValue[]
}

/** Maximum number of listed values. */
const maxValues = 64

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
  const member = Object.hasOwn(properties, name) ? properties[name] : undefined
  const branch = ({ then, otherwise }: Condition, holds: boolean): JsonValue => (holds ? then : otherwise)
  const without = leaveOut(schema, [name])
  const absent = without === null ? [] : [{ schema: without, beside: conditions.map((each) => branch(each, !each.needsMember)) }]
  if (member !== undefined && isNever(member)) return absent
  const present = { ...schema, required: [...new Set([...required, name])] }
  if (conditions.every(({ values }) => values === null))
    return [{ schema: present, beside: conditions.map((each) => branch(each, true)) }, ...absent]
  const values = member === undefined ? null : valuesOf(member)
  if (values === null || values.length > maxValues) return null
  const holds = ({ values: those }: Condition, value: JsonValue = null): boolean => those?.has(JSON.stringify(value)) ?? true
  const groups = Map.groupBy(values, (value) => conditions.map((each) => holds(each, value)).join())
  const ways = [...groups.values()].map((group) => ({
    schema: { ...present, properties: { ...properties, [name]: { enum: group } satisfies JsonObject } },
    beside: conditions.map((each) => branch(each, holds(each, group[0]))),
  }))
  return [...ways, ...absent]
}

/** Whether an object can have the members that it requires, and as many as it needs. */
export function isPossible(schema: FlatSchema): boolean {
  const { properties = {}, required = [] } = schema
  return hasEnough(schema) && !required.some((name) => Object.hasOwn(properties, name) && properties[name] === false)
}
