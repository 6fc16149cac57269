import { isRecord } from '../../../../core/is-record.ts'
import type { JsonValue } from '../../../../core/json-value.ts'

/**
 * Whether no value can meet two of the options: all of different types, all different constants, or objects that a required member with
 * a constant of its own tells apart, as clients write tagged unions.
 *
 * @param options References resolved.
 */
export function areDisjoint(options: readonly JsonValue[]): boolean {
  return areDifferent(options.map(constantOf)) || areDifferentTypes(options) || tagsOf(options[0]).some((tag) => areTagged(options, tag))
}

function areDifferentTypes(options: readonly JsonValue[]): boolean {
  const types = options.flatMap((option) => (isRecord(option) ? option.type : undefined)).map((type) => JSON.stringify(type))
  return areDifferent(types) && !(types.includes('"integer"') && types.includes('"number"'))
}

/** Whether every option has a constant, and none has another's. */
function areDifferent(constants: readonly (string | undefined)[]): boolean {
  return !constants.includes(undefined) && new Set(constants).size === constants.length
}

function areTagged(options: readonly JsonValue[], tag: string): boolean {
  return areDifferent(options.map((option) => (tagsOf(option).includes(tag) ? constantOf(memberOf(option, tag)) : undefined)))
}

/** Names of an object's members that are always there. */
function tagsOf(option: JsonValue | undefined): readonly string[] {
  return isRecord(option) && Array.isArray(option.required) ? option.required.filter((name) => typeof name === 'string') : []
}

function memberOf(option: JsonValue, name: string): JsonValue | undefined {
  if (!isRecord(option) || !isRecord(option.properties)) return undefined
  return Object.hasOwn(option.properties, name) ? option.properties[name] : undefined
}

/** The one value that a schema allows, as JSON; an object or a list has several spellings, and counts as none. */
function constantOf(schema: JsonValue | undefined): string | undefined {
  if (!isRecord(schema)) return undefined
  const { enum: values } = schema
  const constant = 'const' in schema ? schema.const : Array.isArray(values) && values.length === 1 ? values[0] : undefined
  return constant !== null && typeof constant === 'object' ? undefined : JSON.stringify(constant)
}
