import type { JsonValue } from '../../../../core/json-value.ts'
import type { FlatSchema } from './read-schema.ts'
import { typesOf } from './types-of.ts'
import { jsonType, type SchemaType } from './value-types.ts'

/**
 * Whether no value can match two of the options: different types, different constants, or objects with a required member that has a
 * different constant in each (tagged unions).
 *
 * @param read Reads a member's schema; null = no value can match it.
 */
export function areDisjoint(options: readonly FlatSchema[], read: ReadMember): boolean {
  if (differ(options, read)) return true
  if (options.length > mostPairs) return false
  return options.every((one, index) => options.slice(index + 1).every((other) => differ([one, other], read)))
}

type ReadMember = (member: JsonValue) => FlatSchema | null

/** Options that are compared in pairs. */
const mostPairs = 64

function differ(options: readonly FlatSchema[], read: ReadMember): boolean {
  const [first] = options
  if (first === undefined || options.length === 1 || haveDifferentTypes(options)) return true
  if (areDifferent(options.values().map(constantsOf))) return true
  const constantsAt = (option: FlatSchema, name: string): Constants => {
    const constants = constantsOf(memberOf(option, name, read))
    return constants !== null && option.required?.includes(name) === true ? constants : null
  }
  return (first.required ?? []).some((name) => areDifferent(options.values().map((option) => constantsAt(option, name))))
}

/**
 * The options with a member required that has a different constant in each, so that no value can match two of them. Generators (Pydantic)
 * leave such members optional if they have a default.
 *
 * @returns null when there is no such member.
 */
export function tagOptions(options: readonly FlatSchema[], read: ReadMember): readonly FlatSchema[] | null {
  const tag = Object.keys(options[0]?.properties ?? {}).find((name) =>
    areDifferent(options.values().map((option) => constantsOf(memberOf(option, name, read)))),
  )
  if (tag === undefined) return null
  return options.map((option) => ({ ...option, required: [...new Set([...(option.required ?? []), tag])] }))
}

/** One of several options: `whole` includes the keywords beside the list of options, `own` does not. */
export interface CombinedOption {
  readonly whole: FlatSchema
  readonly own: FlatSchema
}

/** Options that differ by the members they require, and ways to write them. */
const [mostExcluded, mostWays] = [16, 32]

/**
 * Ways to write each option so that no other option matches: at least one required member of each other option is absent. An option that every
 * match of another one matches too can never be the only match, so it has no way.
 *
 * @returns null if the members of an option do not distinguish it from another, or there are too many ways, or none that a value can meet.
 */
export function leaveOutRequired(options: readonly CombinedOption[]): readonly FlatSchema[] | null {
  if (options.length > mostExcluded) return null
  const ways: FlatSchema[] = []
  for (const one of options) {
    const mine = new Set(one.whole.required)
    const others = options.filter((other) => other !== one)
    const lacking = others.map(({ whole }) => (whole.required ?? []).filter((name) => !mine.has(name)))
    if (others.some((other, index) => lacking[index]?.length === 0 && !isOnlyRequired(other.own))) return null
    if (lacking.some((names) => names.length === 0)) continue
    let absents: readonly (readonly string[])[] = [[]]
    for (const names of lacking) {
      absents = absents.flatMap((absent) =>
        names.some((name) => absent.includes(name)) ? [absent] : names.map((name) => [...absent, name]),
      )
      if (absents.length > mostWays) return null
    }
    const taken = new Set(others.flatMap(({ whole }) => typesIn(whole)))
    const type = typesIn(one.whole).filter((each) => each === 'object' || !sharesValues(each, taken))
    const possible = type.length === 0 ? [] : absents.map((absent) => leaveOut(one.whole, absent))
    ways.push(...possible.filter((way) => way !== null && hasEnough(way)).map((way) => ({ ...way, type })))
    if (ways.length > mostWays) return null
  }
  return ways.length === 0 ? null : ways
}

function sharesValues(type: SchemaType, taken: ReadonlySet<SchemaType>): boolean {
  return taken.has(type) || (type === 'integer' && taken.has('number')) || (type === 'number' && taken.has('integer'))
}

/** An object without some members, and without those that require one of them; null if it requires one. */
export function leaveOut(schema: FlatSchema, names: readonly string[]): FlatSchema | null {
  const { properties = {}, required = [], dependentRequired = {} } = schema
  const absent = new Set(names)
  for (let before = -1; before !== absent.size; ) {
    before = absent.size
    for (const [name, needed] of Object.entries(dependentRequired)) if (needed.some((each) => absent.has(each))) absent.add(name)
  }
  if (required.some((name) => absent.has(name))) return null
  return {
    ...schema,
    properties: { ...properties, ...Object.fromEntries([...absent].map((name) => [name, false])) },
    dependentRequired: Object.fromEntries(Object.entries(dependentRequired).filter(([name]) => !absent.has(name))),
  }
}

/** Whether the members of an object that are written are as many as it requires. */
export function hasEnough({ properties = {}, required = [], minProperties = 0 }: FlatSchema): boolean {
  const listed = Object.entries(properties).flatMap(([name, member]) => (member === false ? [] : [name]))
  return new Set([...required, ...listed]).size >= minProperties
}

/** Whether an option only requires members of an object. */
function isOnlyRequired({ required: _, type = ['object'], ...more }: FlatSchema): boolean {
  return Object.keys(more).length === 0 && type.includes('object')
}

function haveDifferentTypes(options: readonly FlatSchema[]): boolean {
  const types = options.flatMap((option) => [...new Set(typesIn(option))])
  return new Set(types).size === types.length && !(types.includes('integer') && types.includes('number'))
}

function typesIn(option: FlatSchema): readonly SchemaType[] {
  return option.values?.map(jsonType) ?? typesOf(option)
}

/** The values that a schema allows, as JSON; null = others too, or an object or a list, which has several spellings. */
type Constants = readonly string[] | null

/** Whether every option has constants, and none has one of another's; the first that does not decides. */
function areDifferent(options: Iterable<Constants>): boolean {
  const all = new Set<string>()
  for (const constants of options) {
    if (constants === null || constants.some((constant) => all.has(constant))) return false
    for (const constant of constants) all.add(constant)
  }
  return true
}

function memberOf({ properties = {} }: FlatSchema, name: string, read: ReadMember): FlatSchema | null {
  return Object.hasOwn(properties, name) ? read(properties[name] ?? true) : null
}

function constantsOf(schema: FlatSchema | null): Constants {
  const values = schema?.values
  if (values === undefined || values.some((value) => value !== null && typeof value === 'object')) return null
  return [...new Set(values.map((value) => JSON.stringify(value)))]
}
