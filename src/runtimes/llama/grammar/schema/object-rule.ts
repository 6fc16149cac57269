import { isRecord, type JsonValue } from '../../../../core/json-value.ts'
import { shortName } from '../../../../core/requests/request-record.ts'
import { type Counts, type Grammar, literal, repeated } from '../gbnf.ts'
import type { FlatSchemas } from './flat-schemas.ts'
import type { Leeway } from './leeway.ts'
import { membersRule } from './members-rule.ts'
import type { FlatSchema } from './read-schema.ts'
import { isNever } from './value-types.ts'

/** Maximum number of an object's members. */
const maxMembers = 2000
/** Maximum number of states for counting members. */
const maxCounts = 4000

/** A member of an object by name. */
export interface ObjectMember {
  readonly name: string
  readonly schema: JsonValue
  readonly required: boolean
}

/** An object's context: its place, and the compiler of its parts. */
export interface ObjectPlace {
  readonly where: string
  readonly flat: FlatSchemas
  readonly leeway: Leeway
  readonly rule: (schema: JsonValue, place: string) => string
}

/** The rule for an object: of the members it names, required ones first; of one that names none, any. */
export function objectRule(grammar: Grammar, schema: FlatSchema, at: ObjectPlace): string {
  const members = readMembers(schema, at)
  if (members.length === 0) return mapRule(grammar, schema, at)
  if (members.length > maxMembers) {
    at.leeway.loosen(`it has more than ${maxMembers} members at ${at.where}`)
    return 'object'
  }
  const rules = members.map(({ name, schema: value, required }) => {
    const rule = at.rule(value, `${at.where}/properties/${name}`)
    return { rule: grammar.name(`${literal(`${JSON.stringify(name)}:`)} ws ${rule} ws`), required }
  })
  return grammar.name(`"{" ws ${membersRule(grammar, rules, countsOf(schema, members, at))} "}"`)
}

/** The members that a schema of an object names, required ones first; none = their names are free. */
export function readMembers(
  schema: FlatSchema,
  { where, flat, leeway }: Pick<ObjectPlace, 'where' | 'flat' | 'leeway'>,
): readonly ObjectMember[] {
  const { properties = {}, required = [], propertyNames } = schema
  const others = schema.additionalProperties ?? schema.unevaluatedProperties ?? true
  const listed = propertyNames === undefined ? null : (flat.flatten(propertyNames, `${where}/propertyNames`)?.values ?? null)
  const allowed = listed?.filter((name) => typeof name === 'string') ?? null
  const needed = new Set(required)
  const names = [...new Set([...Object.keys(properties), ...needed, ...(allowed ?? [])])]
  if (names.length > 0 && allowed === null && propertyNames !== undefined && !isAnyName(propertyNames))
    leeway.loosen(`"propertyNames" at ${where} must list the names in "enum" where members have names`)
  const patterns = Object.values(schema.patternProperties ?? {})
  const mayMatch = patterns.length > 0 && isNever(others) && names.some((name) => needed.has(name) && !Object.hasOwn(properties, name))
  if (names.length > 0 && (mayMatch || patterns.some((value) => !isAnything(value))))
    leeway.loosen(`"patternProperties" at ${where} is not supported beside members that have names`)
  return [...names.filter((name) => needed.has(name)), ...names.filter((name) => !needed.has(name))]
    .flatMap((name): readonly ObjectMember[] => {
      const named = Object.hasOwn(properties, name) ? properties[name] : undefined
      if (named === undefined && isNever(others) && needed.has(name)) {
        const keyword = schema.additionalProperties === undefined ? 'unevaluatedProperties' : 'additionalProperties'
        if (!mayMatch)
          leeway.mistake(`"required" at ${where} names "${shortName(name)}", which "properties" lacks and "${keyword}" excludes`)
        return [{ name, schema: true, required: true }]
      }
      if (allowed === null || allowed.includes(name)) return [{ name, schema: named ?? others, required: needed.has(name) }]
      if (needed.has(name)) leeway.mistake(`"propertyNames" at ${where} excludes "${shortName(name)}"`)
      return []
    })
    .filter((member) => member.required || !isNever(member.schema))
}

function countsOf(
  { minProperties = 0, maxProperties }: FlatSchema,
  members: readonly ObjectMember[],
  { where, leeway }: ObjectPlace,
): Counts {
  const required = members.filter((member) => member.required).length
  if (minProperties > members.length || (maxProperties ?? members.length) < Math.max(required, minProperties)) {
    leeway.mistake(`the counts of members at ${where} exclude every value`)
    return { least: 0, most: null }
  }
  if (Math.min(minProperties, maxProperties ?? 0) * members.length > maxCounts) {
    leeway.loosen(`"minProperties" and "maxProperties" at ${where} are supported for fewer members`)
    return { least: 0, most: null }
  }
  return { least: minProperties, most: maxProperties ?? null }
}

/** An object whose names are free. */
function mapRule(grammar: Grammar, schema: FlatSchema, at: ObjectPlace): string {
  const { properties = {}, patternProperties = {}, propertyNames, minProperties = 0, maxProperties = null } = schema
  const { where, leeway } = at
  const least = minProperties
  const patterns = Object.entries(patternProperties).filter(([, value]) => !isNever(value))
  const hasNames = Object.keys(properties).length > 0 // all of members that are never there
  const others = schema.additionalProperties ?? schema.unevaluatedProperties ?? (schema.properties === undefined || patterns.length > 0)
  const values = hasNames ? false : others
  if (maxProperties !== null && maxProperties < least) {
    leeway.mistake(`the counts of members at ${where} exclude every value`)
    return 'object'
  }
  if (patterns.length > 0 && propertyNames !== undefined && !isAnyName(propertyNames))
    leeway.loosen(`"propertyNames" at ${where} is not supported beside "patternProperties"`)
  if (least > 1) leeway.loosen(`"minProperties" at ${where} is supported up to 1 where names are free: they may repeat`)
  const member =
    patterns.length > 0
      ? patternMember(patterns, values, at)
      : values === false
        ? null
        : `${nameRule(propertyNames, at)} ":" ws ${at.rule(values, `${where}/additionalProperties`)} ws`
  if (member === null || maxProperties === 0) {
    if (least > 0) leeway.mistake(`the counts of members at ${where} exclude every value`)
    return grammar.name('"{" ws "}"')
  }
  const first = grammar.name(member)
  const list = `${first} ${repeated(grammar.name(`"," ws ${first}`), Math.max(0, least - 1), maxProperties === null ? null : maxProperties - 1)}`
  return grammar.name(`"{" ws ${least === 0 ? `(${list})?` : list} "}"`)
}

function nameRule(propertyNames: JsonValue | undefined, at: ObjectPlace): string {
  if (propertyNames === undefined || isAnyName(propertyNames)) return 'string'
  const names = at.flat.flatten(propertyNames, `${at.where}/propertyNames`)
  if (names === null || (names.type !== undefined && !names.type.includes('string'))) {
    at.leeway.mistake(`${at.where}/propertyNames is not a schema that a name can meet`)
    return 'string'
  }
  return at.rule({ allOf: [propertyNames, { type: 'string' }] }, `${at.where}/propertyNames`)
}

/** A member whose name matches a pattern. Names that match none are not written, as those that \`properties\` does not list. */
function patternMember(patterns: readonly (readonly [string, JsonValue])[], values: JsonValue, at: ObjectPlace): string {
  const { where, leeway } = at
  const [first] = patterns
  if (first === undefined) return 'string ":" ws value ws'
  const alike = patterns.every(([, value]) => JSON.stringify(value) === JSON.stringify(first[1]))
  if (!alike)
    leeway.loosen(`"patternProperties" at ${where} is supported with one pattern, or one schema for all: a name may match several`)
  // Without rules for other members, any name with any value is allowed.
  if (patterns.every(([, value]) => isAnything(value)) && isAnything(values)) return 'string ":" ws value ws'
  const ways = patterns.map(([pattern, value]) => {
    const name = at.rule({ type: 'string', pattern }, `${where}/patternProperties/${pattern}`)
    return `${name} ":" ws ${at.rule(value, `${where}/patternProperties/${pattern}`)} ws`
  })
  return ways.join(' | ')
}

function isAnyName(rules: JsonValue): boolean {
  return (
    rules === true ||
    (isRecord(rules) && Object.keys(rules).every((keyword) => keyword === 'type') && (rules.type ?? 'string') === 'string')
  )
}

function isAnything(schema: JsonValue): boolean {
  return schema === true || (isRecord(schema) && Object.keys(schema).length === 0)
}
