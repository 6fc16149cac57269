import { Errors } from 'typebox/schema'
import { Locale } from 'typebox/system'
import type { JsonObject } from '../../../../../core/json-value.ts'
import { readJson } from '../../../interface/read-json.ts'
import { language } from '../../../language/language.ts'
import { t } from '../../../language/t.ts'

const maxFaults = 5

if (language === 'de') Locale.Set(Locale.de_DE)

/** The faults of an answer by a JSON schema, each as a sentence; empty = valid. Load this module on demand: the validator is large. */
export function schemaFaults(schema: JsonObject, answer: string): readonly string[] {
  const value = readJson(answer)
  if (value === undefined) return [t`The answer isn’t JSON.`]
  const [fits, faults] = Errors(schema, value)
  if (fits) return []
  return faults.slice(0, maxFaults).map(({ instancePath, message }) => sentenceOf(instancePath, withArticle(message)))
}

/** With the place as programs write it: `/list/0/name` is `list[0].name`. */
function sentenceOf(path: string, fault: string): string {
  if (path === '') return t`The answer ${fault}.`
  const name = path.slice(1).replaceAll(/\/(\d+)(?=\/|$)/g, '[$1]')
  return t`“${name.replaceAll('/', '.')}” ${fault}.`
}

function withArticle(message: string): string {
  return message.replace(
    /^must be (?=(?:array|boolean|integer|number|object|string)$)/,
    (begin) => `${begin}${/^must be [aio]/.test(message) ? 'an' : 'a'} `,
  )
}
