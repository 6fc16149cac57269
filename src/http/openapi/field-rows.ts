import type { TObject } from 'typebox'
import { describeSchema, type SchemaNode } from '../../core/schema/describe-schema.ts'
import type { RouteParameter } from '../route-description.ts'

/** One field of a body, for tables. */
export interface FieldRow {
  readonly name: string
  /** Its type and range: `an integer from 1 to 200`. */
  readonly accepts: string
  /** JSON of the default, `required`, or empty. */
  readonly fallback: string
  readonly description: string
}

type Annotated = SchemaNode & { readonly default?: unknown; readonly description?: string }

/** The fields of a request body, in the order of its schema. */
export function fieldRows(schema: TObject): readonly FieldRow[] {
  const properties: Readonly<Record<string, Annotated>> = schema.properties
  const required: readonly string[] = schema.required ?? []
  return Object.entries(properties).map(([name, property]) => ({
    name,
    accepts: isAnything(property) ? describeUnsupported(property) : shorten(describeSchema(property)),
    fallback: required.includes(name) ? 'required' : printDefault(property),
    description: property.description ?? '',
  }))
}

function printDefault({ default: value }: Annotated): string {
  return value === undefined ? '' : JSON.stringify(value)
}

/** Whether the schema allows everything, which marks an unsupported field. */
function isAnything(property: Annotated): boolean {
  return property.type === undefined && property.anyOf === undefined && property.enum === undefined
}

function describeUnsupported({ default: nothing }: Annotated): string {
  return `not supported yet: ${nothing === undefined ? '' : `${JSON.stringify(nothing)}, `}null, or omitted`
}

/** Shortens long lists of names. */
function shorten(words: string): string {
  const names = words.split(', ')
  return names.length <= 24 ? words : `${names.slice(0, 6).join(', ')} … (${names.length} in all)`
}

/** The parameters of a route, as rows of the same table. */
export function parameterRows(parameters: readonly RouteParameter[]): readonly (FieldRow & Pick<RouteParameter, 'in'>)[] {
  return parameters.map(({ name, in: place, description, schema }) => {
    const property: Annotated = schema
    return { name, in: place, accepts: shorten(describeSchema(property)), fallback: printDefault(property), description }
  })
}
