import { isRecord } from '../json-value.ts'

/** The parts of JSON Schema that Sepia's schemas use, and a custom check where these do not suffice. */
export interface SchemaNode {
  readonly type?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly SchemaNode[]
  readonly items?: SchemaNode
  readonly additionalItems?: unknown
  readonly properties?: Readonly<Record<string, SchemaNode>>
  readonly required?: readonly string[] | undefined
  readonly additionalProperties?: unknown
  readonly patternProperties?: Readonly<Record<string, SchemaNode>>
  readonly minimum?: number
  readonly maximum?: number
  readonly exclusiveMinimum?: number
  readonly multipleOf?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly maxProperties?: number
  readonly pattern?: string
  /** Description of the accepted values, to follow "must be", if the other parts do not describe them well. */
  readonly words?: string
  readonly accepts?: (value: unknown) => boolean
}

/** Describes the accepted values of a schema, to follow "must be": `an integer from 1 to 200`. */
export function describeSchema(schema: SchemaNode): string {
  if (schema.words !== undefined) return schema.words
  if (schema.anyOf !== undefined) return [...new Set(schema.anyOf.map(describeSchema))].join(', or ')
  if (schema.enum !== undefined) return `one of ${schema.enum.map((value) => JSON.stringify(value)).join(', ')}`
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  switch (schema.type) {
    case 'integer':
      return `${schema.multipleOf === undefined ? 'an integer' : `a multiple of ${schema.multipleOf}`}${describeRange(schema)}`
    case 'number':
      return `a number${describeRange(schema)}`
    case 'string':
      return `a string${describeSize(schema.minLength, schema.maxLength, 'characters')}${schema.pattern === undefined ? '' : ` matching ${schema.pattern}`}`
    case 'boolean':
      return 'true or false'
    case 'null':
      return 'null'
    case 'array':
      return describeList(schema)
    default:
      return `an object${describeSize(undefined, schema.maxProperties, 'entries')}`
  }
}

function describeList({ items, minItems, maxItems }: SchemaNode): string {
  if (maxItems === 0) return 'an empty list'
  const places = placesOf(items)
  if (places !== null) return `a list of ${places.length} entries (${places.map(describeSchema).join('; then ')})`
  return `a list${describeSize(minItems, maxItems, 'entries')}${items === undefined ? '' : `, each ${describeSchema(items)}`}`
}

/** The schemas of a list's entries where each place has its own, as in a pair; else null. */
export function placesOf(items: SchemaNode['items']): readonly SchemaNode[] | null {
  return Array.isArray(items) ? items : null
}

function describeRange({ minimum, maximum, exclusiveMinimum }: SchemaNode): string {
  if (exclusiveMinimum !== undefined)
    return maximum === undefined ? ` over ${exclusiveMinimum}` : ` over ${exclusiveMinimum} and up to ${maximum}`
  if (minimum !== undefined && maximum !== undefined) return ` from ${minimum} to ${maximum}`
  if (minimum !== undefined) return ` of at least ${minimum}`
  return maximum === undefined ? '' : ` of at most ${maximum}`
}

function describeSize(least: number | undefined, most: number | undefined, unit: string): string {
  if (least !== undefined && most !== undefined) return ` of ${least} to ${most} ${unit}`
  if (least !== undefined) return ` of at least ${least} ${least === 1 ? singular[unit] : unit}`
  return most === undefined ? '' : ` of at most ${most} ${unit}`
}

const singular: Readonly<Record<string, string>> = { characters: 'character', entries: 'entry' }

/** The branch of a union whose constant `type` matches the value; undefined if there is none. */
export function branchByType(branches: readonly SchemaNode[], value: unknown): SchemaNode | undefined {
  if (!isRecord(value) || value.type === undefined) return undefined
  return branches.find(({ properties }) => properties?.type?.const === value.type)
}

/** Formats the path of a field as clients write it: `messages[0].content`. */
export function printPath(path: readonly (string | number)[]): string {
  return path.map((part, index) => (typeof part === 'number' ? `[${part}]` : index === 0 ? part : `.${part}`)).join('')
}
