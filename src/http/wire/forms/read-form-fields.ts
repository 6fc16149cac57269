import type { ServiceError } from '../../../core/error.ts'
import { shortName } from '../../../core/requests/request-record.ts'
import type { SchemaNode } from '../../../core/schema/describe-schema.ts'
import { type FaultCodes, faultsError } from '../../faults/refuse-faults.ts'

/** A form as it came in: each field's texts by its name, and what became of each file. */
export interface Form<File> {
  readonly fields: ReadonlyMap<string, readonly string[]>
  readonly files: readonly { readonly field: string; readonly file: File }[]
}

/**
 * The fields of a form as the JSON body that they stand for: `n` of `2` is the number, `image[]` a list, `expires_after[seconds]` an
 * object's field. What no schema knows stays text, and a text that is no number stays one too, so that the check of the body refuses it.
 *
 * @param schema Of the body.
 * @throws {ServiceError} with the given codes for a field that is there twice.
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
      return { true: true, false: false }[text] ?? text
    default:
      return text
  }
}

/** What a list of the entries of a field that may be one holds. */
function listOf(schema: SchemaNode | undefined): SchemaNode | undefined {
  return schema?.anyOf?.find(({ items }) => items !== undefined)?.items
}

function repeated(path: string, codes: FaultCodes): ServiceError {
  const name = shortName(path)
  return faultsError([{ path: [name], message: `\`${name}\` must appear once.`, kind: 'repeated' }], codes)
}
