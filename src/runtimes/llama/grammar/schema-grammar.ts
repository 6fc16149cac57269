import { isRecord } from '../../../core/is-record.ts'
import type { JsonObject, JsonValue } from '../../../core/json-value.ts'
import { shortName } from '../../../core/requests/short-name.ts'
import { type Grammar, literal } from './gbnf.ts'
import { integerRule, numberRule, stringRule } from './scalar-rules.ts'
import { readLengths, refuseForTypes, refuseSchema, refuseUnknown, type SchemaType, typesOf } from './schema-keywords.ts'
import { followReference } from './schema-reference.ts'
import type { SchemaRule } from './schema-rule.ts'

const maxSchemaLength = 64 * 1024
const maxDepth = 32
const maxRules = 4000

/** Translates a JSON Schema into grammar rules whose every sentence is valid under it. */
export class SchemaGrammar {
  readonly #grammar: Grammar
  readonly #root: JsonObject
  readonly #references = new Map<string, SchemaRule>()
  /** References being followed, none of whose text has been written yet. */
  #following: readonly string[] = []
  /** The rule of a string that stands without quotes; null where all is JSON. */
  #bareText: string | null = null

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

  /**
   * The rule for a part of the schema whose value is JSON, or a string without quotes.
   *
   * @param text The rule of any such string.
   * @throws {ServiceError} as `compile` does.
   */
  compileBare(part: JsonValue, place: string, text: string): SchemaRule {
    this.#bareText = text
    try {
      return this.#visit(part, place, 1)
    } catch (error) {
      this.#references.clear() // some may have been left half way
      throw error
    } finally {
      this.#bareText = null
      this.#following = []
    }
  }

  #visit(schema: JsonValue, place: string, depth: number): SchemaRule {
    const where = shortName(place)
    if (depth > maxDepth) throw refuseSchema(`it nests deeper than ${maxDepth} levels at ${where}`)
    if (this.#grammar.size > maxRules) throw refuseSchema(`it makes more than ${maxRules} rules`)
    if (schema === true) return { rule: this.#bareText ?? 'value', closingLength: 2 }
    if (!isRecord(schema)) throw refuseSchema(`${where} is not a schema that a value can meet`)
    if ('$ref' in schema) return this.#reference(schema, where, depth)
    if ('const' in schema) return this.#oneOfValues(schema, 'const', [schema.const ?? null], where)
    if ('enum' in schema) return this.#oneOfValues(schema, 'enum', schema.enum, where)
    for (const keyword of ['anyOf', 'oneOf', 'allOf'] as const) if (keyword in schema) return this.#combine(schema, keyword, where, depth)
    const types = typesOf(schema, where)
    refuseForTypes(schema, types, where)
    return this.#alternatives(types.map((type) => this.#typed(type, schema, where, depth)))
  }

  #typed(type: SchemaType, schema: JsonObject, where: string, depth: number): SchemaRule {
    if (type === 'object') return this.#inside(() => this.#object(schema, where, depth))
    if (type === 'array') return this.#inside(() => this.#array(schema, where, depth))
    if (type === 'string') return stringRule(this.#grammar, schema, where, this.#bareText)
    if (type === 'integer') return integerRule(this.#grammar, schema, where)
    if (type === 'number') return numberRule(schema, where)
    return { rule: type, closingLength: 5 }
  }

  /** Visits what stands between brackets, which is JSON, and where a reference may lead back. */
  #inside(visit: () => SchemaRule): SchemaRule {
    const [following, bareText] = [this.#following, this.#bareText]
    this.#following = []
    this.#bareText = null
    const rule = visit()
    this.#following = following
    this.#bareText = bareText
    return rule
  }

  #object(schema: JsonObject, where: string, depth: number): SchemaRule {
    const properties = schema.properties ?? {}
    const required = schema.required ?? []
    if (!isRecord(properties)) throw refuseSchema(`"properties" at ${where} must be an object`)
    if (!isListOfNames(required)) throw refuseSchema(`"required" at ${where} must be a list of names`)
    const needed = new Set(required)
    const names = [...new Set([...Object.keys(properties), ...needed])]
    if (names.length === 0) return this.#map(schema, where, depth)
    const ordered = [...names.filter((name) => needed.has(name)), ...names.filter((name) => !needed.has(name))]
    const members = ordered.map((name) => {
      const { rule, closingLength } = this.#visit(properties[name] ?? true, `${where}/properties/${name}`, depth + 1)
      const member = this.#grammar.name(`${literal(`${JSON.stringify(name)}:`)} ws ${rule} ws`)
      return { name, rule: member, closingLength, required: needed.has(name) }
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
    const named = Array.isArray(schema.items) ? 'items' : 'prefixItems'
    const places = schema[named]
    if (places !== undefined) return this.#tuple(schema, places, `${where}/${named}`, depth)
    const item = this.#visit(schema.items ?? true, `${where}/items`, depth + 1)
    const { least, most } = readLengths(schema, ['minItems', 'maxItems'], where)
    const closingLength = 2 + Math.max(1, least) * (item.closingLength + 2)
    if (most === 0) return { rule: this.#grammar.name('"[" ws "]"'), closingLength }
    const more = `("," ws ${item.rule} ws){${Math.max(0, least - 1)},${most === null ? '' : most - 1}}`
    const items = `${item.rule} ws ${more}`
    return { rule: this.#grammar.name(`"[" ws ${least === 0 ? `(${items})?` : items} "]"`), closingLength }
  }

  /** A list with a schema for each place; it has every one of them and no more. */
  #tuple(schema: JsonObject, places: JsonValue, where: string, depth: number): SchemaRule {
    if (!Array.isArray(places)) throw refuseSchema(`${where} must be a list of schemas`)
    const { least, most } = readLengths(schema, ['minItems', 'maxItems'], where)
    if (least > places.length || (most !== null && most < places.length))
      throw refuseSchema(`the lengths at ${where} must allow a list of ${places.length}`)
    const items = places.map((place: JsonValue, index) => this.#visit(place, `${where}/${index}`, depth + 1))
    const closingLength = 2 + items.reduce((sum, item) => sum + item.closingLength + 2, 0)
    return { rule: this.#grammar.name(`"[" ws ${items.map(({ rule }) => `${rule} ws`).join(' "," ws ')} "]"`), closingLength }
  }

  #oneOfValues(schema: JsonObject, keyword: string, values: JsonValue | undefined, where: string): SchemaRule {
    refuseUnknown(schema, ['type', keyword], where)
    if (!Array.isArray(values) || values.length === 0) throw refuseSchema(`"${keyword}" at ${where} must list at least one value`)
    const bare = this.#bareText !== null
    const texts = values.map((value: JsonValue) => (bare && typeof value === 'string' ? value : JSON.stringify(value)))
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
    if (this.#following.includes(reference)) throw refuseSchema(`"$ref" at ${where} leads back to itself at once`)
    const key = this.#bareText === null ? reference : `bare ${reference}`
    const known = this.#references.get(key)
    if (known !== undefined) return known
    const target = followReference(this.#root, reference, where)
    if (target === undefined) throw refuseSchema(`"$ref" at ${where} points to nothing`)
    const name = this.#grammar.reserve()
    this.#references.set(key, { rule: name, closingLength: 8 })
    const following = this.#following
    this.#following = [...following, reference]
    const resolved = this.#visit(target, reference, depth + 1)
    this.#following = following
    this.#grammar.define(name, resolved.rule)
    this.#references.set(key, { rule: name, closingLength: resolved.closingLength })
    return { rule: name, closingLength: resolved.closingLength }
  }

  #alternatives(rules: readonly SchemaRule[]): SchemaRule {
    const [only] = rules
    if (only !== undefined && rules.length === 1) return only
    const rule = this.#grammar.name(rules.map((each) => each.rule).join(' | '))
    return { rule, closingLength: Math.max(...rules.map((each) => each.closingLength)) }
  }
}

function isListOfNames(value: JsonValue): value is readonly string[] {
  return Array.isArray(value) && value.every((name) => typeof name === 'string')
}

/** Whether no value can meet two of the options: all of different types, or all different constants. */
function areDisjoint(options: readonly JsonValue[]): boolean {
  return (['const', 'type'] as const).some((keyword) => {
    const kinds = options.map((option) => (isRecord(option) ? JSON.stringify(option[keyword]) : undefined))
    const overlap = kinds.includes(undefined) || (kinds.includes('"integer"') && kinds.includes('"number"'))
    return !overlap && new Set(kinds).size === kinds.length
  })
}
