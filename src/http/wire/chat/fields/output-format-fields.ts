import Type from 'typebox'
import type { FieldFault } from '../../../../core/error.ts'
import { isJsonObject, type JsonObject } from '../../../../core/json-value.ts'
import type { ResponseFormat } from '../../../../core/text-generation.ts'
import { type BodyOf, closed, optional } from '../../../faults/object-schema.ts'
import { fieldFault } from '../../../faults/refuse-faults.ts'
import { jsonObject } from '../response-format-field.ts'

const longestGrammar = 64 * 1024

const grammar = (description: string) => Type.String({ minLength: 1, maxLength: longestGrammar, description })
const regex = (description: string) => Type.String({ minLength: 1, maxLength: 4096, description })
const choice = (description: string) =>
  Type.Array(Type.String({ minLength: 1, maxLength: 1000 }), { minItems: 1, maxItems: 1000, description })
const schema = (description: string) => Type.Union([jsonObject, Type.String({ minLength: 2, maxLength: longestGrammar })], { description })

const aboutGrammars = "A grammar in llama.cpp's notation (GBNF) with a rule `root`, at most 64 KB."
const aboutSchemas = 'A JSON schema, or its text, for the output.'
const aboutRegexes = 'A regular expression for the whole output, without lookaround and back-references.'
const aboutChoices = 'Texts to choose the output from.'

/** The format of the output in the fields of llama.cpp and vLLM. At most one of these and `response_format` may be set. */
export const outputFormatFields = optional({
  grammar: grammar(aboutGrammars),
  guided_grammar: grammar("vLLM's older name for `grammar`."),
  guided_json: schema(aboutSchemas),
  json_schema: schema("llama.cpp's name for `guided_json`."),
  guided_regex: regex(aboutRegexes),
  guided_choice: choice(aboutChoices),
  structured_outputs: closed(
    optional({
      json: schema(aboutSchemas),
      regex: regex(aboutRegexes),
      choice: choice(aboutChoices),
      grammar: grammar(aboutGrammars),
      json_object: Type.Literal(true, { description: 'Any JSON object.' }),
    }),
    { description: "vLLM's newer name for the `guided_` fields; exactly one of its members." },
  ),
})

type OutputFormatBody = BodyOf<typeof outputFormatFields>

/** @param responseFormat The value of `response_format`. */
export function findOutputFormatFaults(body: OutputFormatBody, responseFormat: ResponseFormat): readonly FieldFault[] {
  const requested = requestedFormats(body)
  const inside = requested.filter(({ field }) => field === 'structured_outputs')
  if (body.structured_outputs !== undefined && inside.length !== 1)
    return [fieldFault('structured_outputs', 'must have exactly one member, such as `json`.', 'range')]
  const [first, second] = [...(responseFormat.type === 'text' ? [] : ['response_format']), ...requested.map(({ field }) => field)]
  if (first !== undefined && second !== undefined) return [fieldFault(second, `contradicts \`${first}\`; send one of them.`, 'conflict')]
  return requested
    .filter(({ format }) => format === null)
    .map(({ field }) => fieldFault(field, 'must be a JSON schema: an object.', 'type'))
}

/** @returns null when only `response_format` sets the format. */
export function readOutputFormat(body: OutputFormatBody): ResponseFormat | null {
  return requestedFormats(body)[0]?.format ?? null
}

/** A format, and the field that requested it; null = not a schema. */
interface RequestedFormat {
  readonly field: string
  readonly format: ResponseFormat | null
}

const names = Object.keys(outputFormatFields)

function requestedFormats(body: OutputFormatBody): readonly RequestedFormat[] {
  if (!names.some((name) => Object.hasOwn(body, name))) return []
  const { structured_outputs: inside = {} } = body
  const within = 'structured_outputs'
  return [
    requested('grammar', body.grammar, (text, field) => ({ type: 'grammar', grammar: text, field })),
    requested('guided_grammar', body.guided_grammar, (text, field) => ({ type: 'grammar', grammar: text, field })),
    requested(within, inside.grammar, (text, field) => ({ type: 'grammar', grammar: text, field })),
    requested('guided_json', body.guided_json, readSchema),
    requested('json_schema', body.json_schema, readSchema),
    requested(within, inside.json, readSchema),
    requested('guided_regex', body.guided_regex, (pattern, field) => ({ type: 'regex', pattern, field })),
    requested(within, inside.regex, (pattern, field) => ({ type: 'regex', pattern, field })),
    requested('guided_choice', body.guided_choice, (options, field) => ({ type: 'choice', options, field })),
    requested(within, inside.choice, (options, field) => ({ type: 'choice', options, field })),
    requested(within, inside.json_object, () => ({ type: 'json_object' })),
  ].flat()
}

function requested<Value>(
  field: string,
  value: Value | undefined,
  read: (value: Value, field: string) => ResponseFormat | null,
): readonly RequestedFormat[] {
  return value === undefined ? [] : [{ field, format: read(value, field) }]
}

function readSchema(value: JsonObject | string, field: string): ResponseFormat | null {
  try {
    const parsed: unknown = typeof value === 'string' ? JSON.parse(value) : value
    return isJsonObject(parsed) ? { type: 'json_schema', schema: parsed, field } : null
  } catch {
    return null
  }
}
