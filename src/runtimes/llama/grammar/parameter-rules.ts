import { ServiceError } from '../../../core/error.ts'
import { isRecord } from '../../../core/is-record.ts'
import type { JsonObject } from '../../../core/json-value.ts'
import type { ToolDefinition } from '../../../core/text-generation.ts'
import { type ParameterNotation, type ToolFormat, valueEnds } from '../prompt/tool-format.ts'
import { type Grammar, literal } from './gbnf.ts'
import { SchemaGrammar } from './schema/schema-grammar.ts'
import { listsParameters, parameterSchema, parameterTypes } from './schema/value-types.ts'
import { textWithout } from './text-without.ts'

/**
 * Makes the rule for a call's arguments in a notation of their own, on lines of their own or not: required ones first, each held to its schema as far as we follow it. A schema that is no plain
 * list of them leaves the model free to name what it likes.
 */
export function parameterRules(grammar: Grammar, format: ToolFormat, notation: ParameterNotation): (tool: ToolDefinition) => string {
  const { open, between, close } = notation
  const text = textWithout(grammar, valueEnds(format, notation))
  const lineBreak = '("\\r"? "\\n")?'
  const loose = (written: string): string => written.split('\n').map(literal).join(` ${lineBreak} `)
  const closes = grammar.name(loose(close))
  const write = (name: string, value: string): string => grammar.name(`${name} ${value} ${closes}`)
  return ({ parameters }) => {
    const listed = listParameters(grammar, parameters)
    if (listed === null) return grammar.name(`${lineBreak} (${write(`${literal(open)} [^<>\\r\\n]{1,256} ${loose(between)}`, text)})*`)
    const rules = listed.map(({ name, required, compile }) => {
      const rule = write(`${literal(open + name)} ${loose(between)}`, compile(text))
      return required ? rule : `${rule}?`
    })
    return grammar.name([lineBreak, ...rules].join(' '))
  }
}

interface ListedParameter {
  readonly name: string
  readonly required: boolean
  /** The rule for its value, of which any string is `text`. */
  readonly compile: (text: string) => string
}

/** Required parameters, then the others; null when others than those that are listed may come. */
function listParameters(grammar: Grammar, schema: JsonObject): readonly ListedParameter[] | null {
  const { properties = {}, required = [] } = schema
  if (!listsParameters(schema) || !isRecord(properties) || !Array.isArray(required)) return null
  const needed = new Set(required)
  const names = [...new Set([...needed, ...Object.keys(properties)])]
  try {
    const schemas = new SchemaGrammar(grammar, schema)
    return names.map((name) => ({ name, required: needed.has(name), compile: (text) => valueRule(schemas, schema, { name, text }) }))
  } catch (error) {
    if (error instanceof ServiceError) return null
    throw error
  }
}

function valueRule(schemas: SchemaGrammar, schema: JsonObject, { name, text }: { readonly name: string; readonly text: string }): string {
  try {
    return schemas.compileBare(parameterSchema(schema, name), `#/properties/${name}`, text)
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    const types = parameterTypes(schema, name)
    return types.has('string') || types.size === 0 ? text : `(${[...types].join(' | ')})`
  }
}
