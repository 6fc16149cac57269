import type { JsonObject } from '../../../../../core/json-value.ts'
import { readJson } from '../../../interface/read-json.ts'
import { t } from '../../../language/t.ts'

const maxFaults = 5

/** The faults of an answer by a JSON schema, each as a sentence; empty = valid. */
export async function schemaFaults(schema: JsonObject, answer: string): Promise<readonly string[]> {
  const value = readJson(answer)
  if (value === undefined) return [t`The answer isn’t JSON.`]
  // The validator is loaded with the first schema.
  const { Errors } = await import('typebox/schema')
  const [fits, faults] = Errors(schema, value)
  if (fits) return []
  return faults.slice(0, maxFaults).map(({ instancePath, message }) => `${placeIn(instancePath)} ${withArticle(message)}.`)
}

/** As programs write it: `/list/0/name` is `list[0].name`. */
function placeIn(path: string): string {
  if (path === '') return t`The answer`
  const name = path.slice(1).replaceAll(/\/(\d+)(?=\/|$)/g, '[$1]')
  return `“${name.replaceAll('/', '.')}”`
}

function withArticle(message: string): string {
  return message.replace(
    /^must be (?=(?:array|boolean|integer|number|object|string)$)/,
    (begin) => `${begin}${/^must be [aio]/.test(message) ? 'an' : 'a'} `,
  )
}
