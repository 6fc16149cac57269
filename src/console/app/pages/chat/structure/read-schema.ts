import type { ChatParameters } from '../../../../../core/chat/preset.ts'
import { type JsonObject, parseRecord } from '../../../../../core/json-value.ts'
import { t } from '../../../language/t.ts'

/** An example schema. */
export const exampleSchema = `{
  "type": "object",
  "properties": {
    "city": { "type": "string" },
    "inhabitants": { "type": "integer" }
  },
  "required": ["city", "inhabitants"],
  "additionalProperties": false
}`

/** The JSON schema for answers; null when none is set. Returns an error for an invalid one. */
export function readSchema({ format, schema }: Pick<ChatParameters, 'format' | 'schema'>): {
  readonly schema: JsonObject | null
  readonly fault: string | null
} {
  if (format !== 'schema') return { schema: null, fault: null }
  const read = parseRecord(schema)
  return read === null ? { schema: null, fault: t`Enter a JSON schema: one JSON object.` } : { schema: read as JsonObject, fault: null }
}
