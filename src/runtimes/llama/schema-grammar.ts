import type { JsonObject, JsonValue } from '../../core/text-generation.ts'
import { type Grammar, literal } from './gbnf.ts'
import { integerRange } from './integer-range.ts'
import { isObject, refuseForTypes, refuseSchema, refuseUnknown, type SchemaType, typesOf, wholeNumber } from './schema-keywords.ts'

const maxSchemaLength = 64 * 1024
const maxDepth = 32
const maxRules = 4000
/** llama.cpp unrolls repetitions; this many keep a grammar small. */
const maxRepetitions = 1000

/** A rule for a schema, and about how many characters end an instance once it must end. */
export interface SchemaRule {
  readonly rule: string
  readonly closingLength: number
  /** The same once a member of the object has begun, by its name: members come in a fixed order. */
  readonly closingAfter?: ReadonlyMap<string, number>
}

const digits = (count: number): string => `[0-9]{${count}}`
const date = `${digits(4)} "-" ("0" [1-9] | "1" [0-2]) "-" ("0" [1-9] | "1" [0-9] | "2" [0-8])`
const time = `([01] [0-9] | "2" [0-3]) ":" [0-5] [0-9] ":" [0-5] [0-9] ("." [0-9]{3})? ("Z" | [+-] ("0" [0-9] | "1" [0-2]) ":" [0-5] [0-9])`
const formats: Readonly<Record<string, string>> = {
  date,
  time,
  'date-time': `${date} "T" ${time}`,
  uuid: [8, 4, 4, 4, 12].map((count) => `[0-9a-f]{${count}}`).join(' "-" '),
}

/** Translates a JSON Schema into grammar rules whose every sentence is valid under it. */
export class SchemaGrammar {
  readonly #grammar: Grammar
  readonly #root: JsonObject
  readonly #references = new Map<string, SchemaRule>()

  /** @throws {ServiceError} `unsupported_parameter` when the schema is too large. */
  constructor(grammar: Grammar, root: JsonObject) {
    const length = JSON.stringify(root).length
    if (length > maxSchemaLength) throw refuseSchema(`it has ${length} characters, at most ${maxSchemaLength} are allowed`)
    this.#grammar = grammar
    this.#root = root
  }

  /** @throws {ServiceError} `unsupported_parameter` naming the keyword and the place that cannot be honoured. */
  compile(): SchemaRule {
    return this.#visit(this.#root, '#', 0)
  }

  #visit(schema: JsonValue, where: string, depth: number): SchemaRule {
    if (depth > maxDepth) throw refuseSchema(`it nests deeper than ${maxDepth} levels at ${where}`)
    if (this.#grammar.size > maxRules) throw refuseSchema('it is too large')
    if (schema === true) return { rule: 'value', closingLength: 2 }
    if (!isObject(schema)) throw refuseSchema(`${where} is not a schema that a value can meet`)
    if ('$ref' in schema) return this.#reference(schema, where, depth)
    if ('const' in schema) return this.#oneOfValues(schema, 'const', [schema.const ?? null], where)
    if ('enum' in schema) return this.#oneOfValues(schema, 'enum', schema.enum, where)
    for (const keyword of ['anyOf', 'oneOf', 'allOf'] as const) if (keyword in schema) return this.#combine(schema, keyword, where, depth)
    const types = typesOf(schema, where)
    refuseForTypes(schema, types, where)
    return this.#alternatives(types.map((type) => this.#typed(type, schema, where, depth)))
  }

  #typed(type: SchemaType, schema: JsonObject, where: string, depth: number): SchemaRule {
    if (type === 'object') return this.#object(schema, where, depth)
    if (type === 'array') return this.#array(schema, where, depth)
    if (type === 'string') return this.#string(schema, where)
    if (type === 'integer') return { rule: this.#grammar.name(integer(schema, where)), closingLength: 2 }
    if (type === 'number') return { rule: number(schema, where), closingLength: 2 }
    return { rule: type, closingLength: 5 }
  }

  #object(schema: JsonObject, where: string, depth: number): SchemaRule {
    const properties = schema.properties ?? {}
    const required = schema.required ?? []
    if (!isObject(properties)) throw refuseSchema(`"properties" at ${where} must be an object`)
    if (!Array.isArray(required)) throw refuseSchema(`"required" at ${where} must be a list of names`)
    const names = [...new Set([...Object.keys(properties), ...required.map(String)])]
    if (names.length === 0) return this.#map(schema, where, depth)
    const ordered = [...names.filter((name) => required.includes(name)), ...names.filter((name) => !required.includes(name))]
    const members = ordered.map((name) => {
      const { rule, closingLength } = this.#visit(properties[name] ?? true, `${where}/properties/${name}`, depth + 1)
      const member = this.#grammar.name(`${literal(`${JSON.stringify(name)}:`)} ws ${rule} ws`)
      return { name, rule: member, closingLength, required: required.includes(name) }
    })
    const closingAfter = new Map<string, number>()
    let closingLength = 2
    for (const member of members.toReversed()) {
      closingAfter.set(member.name, closingLength + member.closingLength)
      closingLength += member.name.length + 6 + member.closingLength
    }
    return { rule: this.#grammar.name(`"{" ws ${this.#members(members)} "}"`), closingLength, closingAfter }
  }

  /** Required members, then any of the optional ones, in order. */
  #members(members: readonly { readonly rule: string; readonly required: boolean }[]): string {
    const required = members.filter((member) => member.required).map((member) => member.rule)
    const starts: string[] = []
    let tail = ''
    for (const { rule } of members.filter((member) => !member.required).reverse()) {
      starts.unshift(`${rule} ${tail}`)
      tail = this.#grammar.name(`("," ws ${rule})? ${tail}`)
    }
    if (required.length > 0) return `${required.join(' "," ws ')} ${tail}`
    return `(${starts.join(' | ')})?`
  }

  /** An object whose names are free. */
  #map(schema: JsonObject, where: string, depth: number): SchemaRule {
    const values = schema.additionalProperties ?? !('properties' in schema)
    if (values === false) return { rule: this.#grammar.name('"{" ws "}"'), closingLength: 2 }
    const value = this.#visit(values, `${where}/additionalProperties`, depth + 1)
    const member = `string ":" ws ${value.rule} ws`
    return { rule: this.#grammar.name(`"{" ws (${member} ("," ws ${member})*)? "}"`), closingLength: 8 + value.closingLength }
  }

  #array(schema: JsonObject, where: string, depth: number): SchemaRule {
    const item = this.#visit(schema.items ?? true, `${where}/items`, depth + 1)
    const least = wholeNumber(schema, 'minItems', where) ?? 0
    const most = wholeNumber(schema, 'maxItems', where)
    checkRepetitions(least, most, where)
    const closingLength = 2 + Math.max(1, least) * (item.closingLength + 2)
    if (most === 0) return { rule: this.#grammar.name('"[" ws "]"'), closingLength }
    const more = `("," ws ${item.rule} ws){${Math.max(0, least - 1)},${most === null ? '' : most - 1}}`
    const items = `${item.rule} ws ${more}`
    return { rule: this.#grammar.name(`"[" ws ${least === 0 ? `(${items})?` : items} "]"`), closingLength }
  }

  #string(schema: JsonObject, where: string): SchemaRule {
    const least = wholeNumber(schema, 'minLength', where) ?? 0
    const most = wholeNumber(schema, 'maxLength', where)
    checkRepetitions(least, most, where)
    const format = schema.format
    if (format === undefined) {
      if (least === 0 && most === null) return { rule: 'string', closingLength: 2 }
      return { rule: this.#grammar.name(`"\\"" char{${least},${most ?? ''}} "\\""`), closingLength: 2 + least }
    }
    const body = typeof format === 'string' ? formats[format] : undefined
    if (body === undefined) throw refuseSchema(`the format ${JSON.stringify(format)} at ${where} is not supported`)
    if (least > 0 || most !== null) throw refuseSchema(`"format" at ${where} cannot be combined with a length`)
    return { rule: this.#grammar.name(`"\\"" ${body} "\\""`), closingLength: 40 }
  }

  #oneOfValues(schema: JsonObject, keyword: string, values: JsonValue | undefined, where: string): SchemaRule {
    refuseUnknown(schema, ['type', keyword], where)
    if (!Array.isArray(values) || values.length === 0) throw refuseSchema(`"${keyword}" at ${where} must list at least one value`)
    const texts = values.map((value: JsonValue) => JSON.stringify(value))
    return { rule: this.#grammar.name(texts.map(literal).join(' | ')), closingLength: Math.max(...texts.map((text) => text.length)) }
  }

  #combine(schema: JsonObject, keyword: 'anyOf' | 'oneOf' | 'allOf', where: string, depth: number): SchemaRule {
    refuseUnknown(schema, [keyword], where)
    const options = schema[keyword]
    if (!Array.isArray(options) || options.length === 0) throw refuseSchema(`"${keyword}" at ${where} must list at least one schema`)
    if (keyword === 'allOf' && options.length > 1) throw refuseSchema(`"allOf" at ${where} is supported with one schema only`)
    if (keyword === 'oneOf' && !areDisjoint(options))
      throw refuseSchema(`"oneOf" at ${where} needs options of different types or constants; use "anyOf"`)
    return this.#alternatives(options.map((option, index) => this.#visit(option, `${where}/${keyword}/${index}`, depth + 1)))
  }

  #reference(schema: JsonObject, where: string, depth: number): SchemaRule {
    refuseUnknown(schema, ['$ref'], where)
    const reference = schema.$ref
    if (typeof reference !== 'string' || !/^#(\/|$)/.test(reference))
      throw refuseSchema(`"$ref" at ${where} must point into the schema itself`)
    const known = this.#references.get(reference)
    if (known !== undefined) return known
    let target: JsonValue | undefined = this.#root
    for (const step of reference.split('/').slice(1))
      target = isObject(target) ? target[decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~')] : undefined
    if (target === undefined) throw refuseSchema(`"$ref" at ${where} points to nothing`)
    const name = this.#grammar.name('value')
    this.#references.set(reference, { rule: name, closingLength: 8 })
    const resolved = this.#visit(target, reference, depth + 1)
    this.#grammar.define(name, resolved.rule)
    this.#references.set(reference, { rule: name, closingLength: resolved.closingLength })
    return { rule: name, closingLength: resolved.closingLength }
  }

  #alternatives(rules: readonly SchemaRule[]): SchemaRule {
    const [only] = rules
    if (only !== undefined && rules.length === 1) return only
    const rule = this.#grammar.name(rules.map((each) => each.rule).join(' | '))
    return { rule, closingLength: Math.max(...rules.map((each) => each.closingLength)) }
  }
}

function integer(schema: JsonObject, where: string): string {
  const bounds = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'].map((keyword) => wholeNumber(schema, keyword, where))
  const [least = null, most = null, over = null, under = null] = bounds
  if (bounds.every((bound) => bound === null)) return 'integer'
  const minimum = over === null ? least : Math.max(over + 1, least ?? over + 1)
  const maximum = under === null ? most : Math.min(under - 1, most ?? under - 1)
  if (minimum !== null && maximum !== null && minimum > maximum) throw refuseSchema(`no integer at ${where} lies between its bounds`)
  if (Math.max(Math.abs(minimum ?? 0), Math.abs(maximum ?? 0)) > 999_999_999_999_999)
    throw refuseSchema(`the bounds at ${where} have more than 15 digits`)
  return integerRange({ minimum, maximum })
}

function number(schema: JsonObject, where: string): string {
  const minimum = schema.minimum
  for (const keyword of ['maximum', 'exclusiveMinimum', 'exclusiveMaximum'])
    if (keyword in schema) throw refuseSchema(`"${keyword}" at ${where} is supported for integers only`)
  if (minimum === undefined) return 'number'
  if (minimum !== 0) throw refuseSchema(`"minimum" at ${where} must be 0 for a number that need not be whole`)
  return '(digits fraction)'
}

function checkRepetitions(least: number, most: number | null, where: string): void {
  if (least < 0 || (most !== null && most < least)) throw refuseSchema(`the lengths at ${where} exclude every value`)
  if (Math.max(least, most ?? 0) > maxRepetitions) throw refuseSchema(`lengths at ${where} may be at most ${maxRepetitions}`)
}

/** Whether no value can meet two of the options: all of different types, or all different constants. */
function areDisjoint(options: readonly JsonValue[]): boolean {
  return (['const', 'type'] as const).some((keyword) => {
    const kinds = options.map((option) => (isObject(option) ? JSON.stringify(option[keyword]) : undefined))
    const overlap = kinds.includes(undefined) || (kinds.includes('"integer"') && kinds.includes('"number"'))
    return !overlap && new Set(kinds).size === kinds.length
  })
}
