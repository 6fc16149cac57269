import type { JsonObject } from '../../../../../core/json-value.ts'
import { t } from '../../../language/t.ts'
import { readJson } from './read-json-object.ts'

const mostFaults = 5

/** Where an answer does not fit a JSON schema, each as a sentence; none = it fits. */
export async function schemaFaults(schema: JsonObject, answer: string): Promise<readonly string[]> {
  const value = readJson(answer)
  if (value === undefined) return [t`The answer is no JSON.`]
  // The checker comes with the first schema that somebody uses.
  const { Errors } = await import('typebox/schema')
  const [fits, faults] = Errors(schema, value)
  if (fits) return []
  return faults.slice(0, mostFaults).map(({ instancePath, message }) => `${instancePath || t`The answer`} ${message}.`)
}
