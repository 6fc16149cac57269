import type { ServiceError } from '../../../core/error.ts'
import { shortName } from '../../../core/requests/request-record.ts'
import type { SchemaNode } from '../../../core/schema/describe-schema.ts'
import { type FaultCodes, faultsError, fieldFault } from '../../faults/refuse-faults.ts'

/** A received form: each field's texts by name, and the result of each file. */
export interface Form<File> {
  readonly fields: ReadonlyMap<string, readonly string[]>
  readonly files: readonly { readonly field: string; readonly file: File }[]
}

/**
 * Converts the fields of a form to the equivalent JSON body: `n` of `2` becomes a number, `image[]` a list, `expires_after[seconds]` an
 * object's field. Unknown fields stay text, and so does a text that is not a number, so that the check of the body refuses it.
 *
 * @param schema Of the body.
 * @throws {ServiceError} with the given codes for a duplicate field.
 */
export function readFormFields(schema: object, fields: ReadonlyMap<string, readonly string[]>, codes: FaultCodes): Record<string, unknown> {
  const { properties }: SchemaNode = schema
  const body: Record<string, unknown> = Object.create(null)
  for (const [path, texts] of fields) {
    const [, name = path, inner] = /^([^[\]]+)\[([^[\]]*)\]$/.exec(path) ?? []
    const node = properties !== undefined && Object.hasOwn(properties, name) ? properties[name] : undefined
    if (inner === '') body[name] = texts.map((text) => readValue(node?.items ?? listOf(node), text))
    else if (texts.length > 1 || (inner === undefined && Object.hasOwn(body, name))) throw repeated(path, codes)
    else if (inner === undefined) body[name] = readValue(node, texts[0] ?? '')
    else body[name] = { ...Object(body[name]), [inner]: readValue(node?.properties?.[inner], texts[0] ?? '') }
  }
  return body
}

function readValue(schema: SchemaNode | undefined, text: string): unknown {
  switch (schema?.type ?? schema?.anyOf?.[0]?.type) {
    case 'integer':
    case 'number':
      return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text
    case 'boolean':
      return { true: true, false: false }[text.toLowerCase()] ?? text
    default:
      return text
  }
}

/** The schema of the list in a field that is either a single entry or a list. */
function listOf(schema: SchemaNode | undefined): SchemaNode | undefined {
  return schema?.anyOf?.find(({ items }) => items !== undefined)?.items
}

function repeated(path: string, codes: FaultCodes): ServiceError {
  const name = shortName(path)
  return faultsError([fieldFault(name, 'must appear once.', 'repeated')], codes)
}
