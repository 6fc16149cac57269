import { ServiceError } from '../../../../core/error.ts'
import type { JsonObject, JsonValue } from '../../../../core/json-value.ts'
import { shortName } from '../../../../core/requests/short-name.ts'

/** Say nothing about which values are valid. */
const annotations = [
  'title',
  'description',
  'default',
  'examples',
  '$schema',
  '$id',
  '$comment',
  '$defs',
  'definitions',
  'deprecated',
  'readOnly',
  'writeOnly',
  'discriminator',
  'contentEncoding',
  'contentMediaType',
]

const byType = {
  object: ['properties', 'required', 'additionalProperties', 'propertyNames'],
  array: ['items', 'prefixItems', 'additionalItems', 'minItems', 'maxItems'],
  string: ['minLength', 'maxLength', 'format', 'pattern'],
  integer: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'],
  number: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'],
  boolean: [],
  null: [],
} as const

export type SchemaType = keyof typeof byType
export const schemaTypes: readonly SchemaType[] = Object.keys(byType).filter(isSchemaType)

function isSchemaType(name: string): name is SchemaType {
  return Object.hasOwn(byType, name)
}

/** For a schema that no grammar is made for; `message` says what of it and where. */
export function refuseSchema(message: string, cause?: unknown): ServiceError {
  return new ServiceError('unsupported_parameter', `The JSON schema cannot be followed: ${message}.`, { param: 'response_format', cause })
}

/** Whether a keyword says nothing about which values are valid. */
export function isAnnotation(keyword: string): boolean {
  return annotations.includes(keyword)
}

/** Refuses every keyword of a schema that is neither an annotation nor in `known`. */
export function refuseUnknown(schema: JsonObject, known: readonly string[], where: string): void {
  for (const keyword of Object.keys(schema))
    if (!known.includes(keyword) && !isAnnotation(keyword)) throw refuseSchema(`"${shortName(keyword)}" at ${where} is not supported here`)
}

/** The types a schema allows: the ones it names, or those its other keywords speak of, or all. */
export function typesOf(schema: JsonObject, where: string): readonly SchemaType[] {
  const named = schema.type
  if (named === undefined) {
    const meant = schemaTypes.filter((type) => byType[type].some((keyword) => keyword in schema))
    if (meant.length === 0) return schemaTypes.filter((type) => type !== 'integer')
    return meant.includes('integer') ? ['number'] : meant
  }
  const names = typeof named === 'string' ? [named] : named
  if (!Array.isArray(names) || names.length === 0) throw refuseSchema(`"type" at ${where} must be a type name or a list of them`)
  return [...new Set(names)].map((name: JsonValue) => {
    if (typeof name === 'string' && isSchemaType(name)) return name
    throw refuseSchema(`the type ${shortName(JSON.stringify(name))} at ${where} does not exist`)
  })
}

/** Whether a value is of a type. */
export function isOfType(value: JsonValue, type: SchemaType): boolean {
  return type === 'integer' ? Number.isInteger(value) : jsonType(value) === type
}

/** The type of a value; whole numbers are numbers. */
export function jsonType(value: JsonValue): SchemaType {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  const type = typeof value
  return type === 'string' || type === 'number' || type === 'boolean' ? type : 'object'
}

/** Refuses keywords that none of the types honours. */
export function refuseForTypes(schema: JsonObject, types: readonly SchemaType[], where: string): void {
  refuseUnknown(schema, ['type', ...types.flatMap((type) => byType[type])], where)
}

/** A keyword's whole number, or null when it is absent. */
function wholeNumber(schema: JsonObject, keyword: string, where: string): number | null {
  const value = schema[keyword]
  if (value === undefined) return null
  if (typeof value !== 'number' || !Number.isSafeInteger(value)) throw refuseSchema(`"${keyword}" at ${where} must be a whole number`)
  return value
}

/** llama.cpp unrolls repetitions; this many keep a grammar small. */
const maxRepetitions = 1000

/** The bounds of a length; `most` is null when there is none. */
export interface Lengths {
  readonly least: number
  readonly most: number | null
}

/** What two keywords say of a length. */
export function readLengths(schema: JsonObject, [leastKeyword, mostKeyword]: readonly [string, string], where: string): Lengths {
  const least = wholeNumber(schema, leastKeyword, where) ?? 0
  const most = wholeNumber(schema, mostKeyword, where)
  if (least < 0 || (most !== null && most < least)) throw refuseSchema(`the lengths at ${where} exclude every value`)
  if (Math.max(least, most ?? 0) > maxRepetitions) throw refuseSchema(`lengths at ${where} may be at most ${maxRepetitions}`)
  return { least, most }
}
