import { isRecord } from '../../../../core/is-record.ts'
import type { JsonObject, JsonValue } from '../../../../core/json-value.ts'
import { shortName } from '../../../../core/requests/short-name.ts'
import { refuseSchema, refuseUnknown, typesOf } from './schema-keywords.ts'

/** A member of an object by name. */
export interface ObjectMember {
  readonly name: string
  readonly schema: JsonValue
  readonly required: boolean
}

/**
 * The members that a schema of an object names, required ones first; none = their names are free.
 *
 * @throws {ServiceError} `unsupported_parameter` naming the keyword that cannot be honoured.
 */
export function readMembers(schema: JsonObject, where: string): readonly ObjectMember[] {
  const { properties = {}, required = [], additionalProperties = true } = schema
  if (!isRecord(properties)) throw refuseSchema(`"properties" at ${where} must be an object`)
  if (!isListOfNames(required)) throw refuseSchema(`"required" at ${where} must be a list of names`)
  const allowed = allowedNames(schema.propertyNames, `${where}/propertyNames`)
  const needed = new Set(required)
  const names = [...new Set([...Object.keys(properties), ...needed, ...(allowed ?? [])])]
  const rules = schema.propertyNames
  if (names.length > 0 && allowed === null && rules !== undefined && !isAnyName(rules))
    throw refuseSchema(`"propertyNames" at ${where} must list the names in "enum" where members have names`)
  return [...names.filter((name) => needed.has(name)), ...names.filter((name) => !needed.has(name))]
    .map((name) => {
      if (allowed !== null && !allowed.includes(name)) throw refuseSchema(`"propertyNames" at ${where} excludes "${shortName(name)}"`)
      const named = Object.hasOwn(properties, name) ? properties[name] : undefined
      return { name, schema: named ?? additionalProperties, required: needed.has(name) }
    })
    .filter((member) => member.required || !isNever(member.schema))
}

/** The rule for names that are free; null = any. */
export function rulesOfNames({ propertyNames }: JsonObject): JsonObject | null {
  return isRecord(propertyNames) && !isAnyName(propertyNames) ? { ...propertyNames, type: 'string' } : null
}

function isAnyName(rules: JsonValue): boolean {
  return (
    rules === true ||
    (isRecord(rules) && Object.keys(rules).every((keyword) => keyword === 'type') && (rules.type ?? 'string') === 'string')
  )
}

/** The names that a rule of names lists; null = it lists none. */
function allowedNames(rules: JsonValue = true, where: string): readonly string[] | null {
  if (rules === true) return null
  if (!isRecord(rules) || !typesOf(rules, where).includes('string')) throw refuseSchema(`${where} is not a schema that a name can meet`)
  if (rules.enum === undefined || !isListOfNames(rules.enum)) return null
  refuseUnknown(rules, ['type', 'enum'], where)
  return rules.enum
}

/** Whether no value meets a schema, as `z.never()` is written. */
function isNever(schema: JsonValue): boolean {
  return schema === false || (isRecord(schema) && isRecord(schema.not) && Object.keys(schema.not).length === 0)
}

function isListOfNames(value: JsonValue): value is readonly string[] {
  return Array.isArray(value) && value.every((name) => typeof name === 'string')
}
