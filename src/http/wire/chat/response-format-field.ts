import Type, { type Static } from 'typebox'
import { defined } from '../../../core/defined.ts'
import type { FieldFault } from '../../../core/error.ts'
import { isRecord, type JsonObject } from '../../../core/json-value.ts'
import type { ResponseFormat } from '../../../core/text-generation.ts'
import { closed, optional } from '../../faults/object-schema.ts'
import { fieldFault } from '../../faults/refuse-faults.ts'

/** Any JSON object; the text engine checks JSON Schemas. */
export const jsonObject = Type.Unsafe<JsonObject>(Type.Object({}))

/** The field `response_format`. */
export const responseFormatField = Type.Optional(
  closed(
    {
      type: Type.Enum(['text', 'json_object', 'json_schema']),
      ...optional({
        json_schema: closed(
          optional({
            name: Type.String({ pattern: '^[a-zA-Z0-9_-]{1,64}$' }),
            description: Type.String(),
            schema: jsonObject,
            strict: Type.Boolean(),
          }),
          { words: 'an object with the JSON schema in its `schema`', accepts: (value: unknown) => !isSchemaItself(value) },
        ),
        schema: jsonObject,
      }),
    },
    { description: 'What the output must look like; its `schema` may stand here directly, as in llama-server’s interface.' },
  ),
)

/** Whether a value is a JSON schema where an object with it is required. */
function isSchemaItself(value: unknown): boolean {
  return isRecord(value) && value.schema === undefined && ['type', 'properties', '$ref', 'anyOf'].some((name) => Object.hasOwn(value, name))
}

type ResponseFormatBody = Static<typeof responseFormatField>

/** Finds a missing schema, and a schema with another type than `json_schema`. */
export function findResponseFormatFaults(format: ResponseFormatBody | undefined): readonly FieldFault[] {
  if (format === undefined) return []
  if (format.type === 'json_schema' && (format.json_schema ?? format).schema === undefined)
    return [fieldFault(['response_format', 'json_schema'], 'needs a `schema` when the type is json_schema.', 'missing')]
  if (format.type !== 'json_schema' && format.json_schema !== undefined)
    return [fieldFault(['response_format', 'json_schema'], 'needs the type json_schema; remove one of them.')]
  if (format.schema !== undefined && (format.type === 'text' || format.json_schema !== undefined))
    return [fieldFault(['response_format', 'schema'], 'needs the type json_object; use `json_schema` otherwise.')]
  return []
}

/** The format of an answer; any text by default. */
export function readResponseFormat(format: ResponseFormatBody | undefined): ResponseFormat {
  const schema = format?.json_schema?.schema ?? format?.schema
  const { name, description, strict } = format?.json_schema ?? {}
  const requested = defined({ name, description, strict })
  if (schema !== undefined) return { type: 'json_schema', schema, ...requested }
  return { type: format?.type === 'json_object' ? 'json_object' : 'text' }
}
