import type { ChatParameters } from '../../../../../core/chat/preset.ts'
import type { JsonObject } from '../../../../../core/json-value.ts'
import { t } from '../../../language/t.ts'
import { readJsonObject } from './read-json-object.ts'

/** A schema to begin with. */
export const exampleSchema = `{
  "type": "object",
  "properties": {
    "city": { "type": "string" },
    "inhabitants": { "type": "integer" }
  },
  "required": ["city", "inhabitants"],
  "additionalProperties": false
}`

/** The JSON schema that answers must follow, null where none is asked for; or why what was written is none. */
export function readSchema({ format, schema }: Pick<ChatParameters, 'format' | 'schema'>): {
  readonly schema: JsonObject | null
  readonly fault: string | null
} {
  if (format !== 'schema') return { schema: null, fault: null }
  const read = readJsonObject(schema)
  return read === null ? { schema: null, fault: t`Write a JSON schema: one JSON object.` } : { schema: read as JsonObject, fault: null }
}
