import { isRecord } from '../../../../core/is-record.ts'
import type { JsonObject, JsonValue } from '../../../../core/json-value.ts'
import { shortName } from '../../../../core/requests/short-name.ts'
import { type Grammar, literal } from '../gbnf.ts'
import { areDisjoint } from './disjoint-options.ts'
import { mergeObjects } from './merge-objects.ts'
import { integerRule, numberRule } from './number-rules.ts'
import { readMembers, rulesOfNames } from './object-members.ts'
import {
  isAnnotation,
  isOfType,
  readLengths,
  refuseForTypes,
  refuseSchema,
  refuseUnknown,
  type SchemaType,
  typesOf,
} from './schema-keywords.ts'
import { resolveReference } from './schema-reference.ts'
import { stringRule } from './string-rule.ts'

const maxSchemaLength = 64 * 1024
const maxDepth = 32
const maxRules = 4000
/** Characters of all patterns together; reading them takes more time than the rest. */
const maxPatterns = 4096

/** Translates a JSON Schema into grammar rules whose every sentence is valid under it. */
export class SchemaGrammar {
  readonly #grammar: Grammar
  readonly #root: JsonObject
  readonly #references = new Map<string, string>()
  /** References being followed, none of whose text has been written yet. */
  #following: readonly string[] = []
  #patternLength = 0
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
  compile(): string {
    return this.#visit(this.#root, '#', 0)
  }

  /**
   * The rule for a part of the schema whose value is JSON, or a string without quotes.
   *
   * @param text The rule of any such string.
   * @throws {ServiceError} as `compile` does.
   */
  compileBare(part: JsonValue, place: string, text: string): string {
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

  #visit(schema: JsonValue, place: string, depth: number): string {
    const where = shortName(place)
    if (depth > maxDepth) throw refuseSchema(`it nests deeper than ${maxDepth} levels at ${where}`)
    if (this.#grammar.size > maxRules) throw refuseSchema(`it makes more than ${maxRules} rules`)
    if (schema === true) return this.#bareText ?? 'value'
    if (!isRecord(schema)) throw refuseSchema(`${where} is not a schema that a value can meet`)
    if ('$ref' in schema) return this.#reference(schema, where, depth)
    if ('const' in schema) return this.#oneOfValues(schema, 'const', [schema.const ?? null], where)
    if ('enum' in schema) return this.#oneOfValues(schema, 'enum', schema.enum, where)
    if ('allOf' in schema) return this.#all(schema, where, depth)
    for (const keyword of ['anyOf', 'oneOf'] as const) if (keyword in schema) return this.#combine(schema, keyword, where, depth)
    const types = typesOf(schema, where)
    refuseForTypes(schema, types, where)
    return this.#alternatives(types.map((type) => this.#typed(type, schema, where, depth)))
  }

  #typed(type: SchemaType, schema: JsonObject, where: string, depth: number): string {
    if (type === 'object') return this.#inside(() => this.#object(schema, where, depth))
    if (type === 'array') return this.#inside(() => this.#array(schema, where, depth))
    if (type === 'string') return this.#string(schema, where)
    if (type === 'integer') return integerRule(this.#grammar, schema, where)
    if (type === 'number') return numberRule(this.#grammar, schema, where)
    return type
  }

  #string(schema: JsonObject, where: string): string {
    if (typeof schema.pattern === 'string') this.#patternLength += schema.pattern.length
    if (this.#patternLength > maxPatterns) throw refuseSchema(`its patterns have more than ${maxPatterns} characters together`)
    return stringRule(this.#grammar, schema, { where, bareText: this.#bareText })
  }

  /** Visits what stands between brackets, which is JSON, and where a reference may lead back. */
  #inside(visit: () => string): string {
    const [following, bareText] = [this.#following, this.#bareText]
    this.#following = []
    this.#bareText = null
    const rule = visit()
    this.#following = following
    this.#bareText = bareText
    return rule
  }

  #object(schema: JsonObject, where: string, depth: number): string {
    const named = readMembers(schema, where)
    if (named.length === 0) return this.#map(schema, where, depth)
    const members = named.map(({ name, schema: value, required }) => {
      const rule = this.#visit(value, `${where}/properties/${name}`, depth + 1)
      return { rule: this.#grammar.name(`${literal(`${JSON.stringify(name)}:`)} ws ${rule} ws`), required }
    })
    return this.#grammar.name(`"{" ws ${this.#members(members)} "}"`)
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
  #map(schema: JsonObject, where: string, depth: number): string {
    const { properties = {} } = schema
    const hasNames = isRecord(properties) && Object.keys(properties).length > 0 // all of members that are never there
    const values = hasNames ? false : (schema.additionalProperties ?? !('properties' in schema))
    if (values === false) return this.#grammar.name('"{" ws "}"')
    const value = this.#visit(values, `${where}/additionalProperties`, depth + 1)
    const names = rulesOfNames(schema)
    const name = names === null ? 'string' : this.#visit(names, `${where}/propertyNames`, depth + 1)
    const member = `${name} ":" ws ${value} ws`
    return this.#grammar.name(`"{" ws (${member} ("," ws ${member})*)? "}"`)
  }

  #array(schema: JsonObject, where: string, depth: number): string {
    const named = Array.isArray(schema.items) ? 'items' : 'prefixItems'
    const places = schema[named]
    if (places !== undefined) return this.#tuple(schema, places, `${where}/${named}`, depth)
    const item = this.#visit(schema.items ?? true, `${where}/items`, depth + 1)
    const { least, most } = readLengths(schema, ['minItems', 'maxItems'], where)
    if (most === 0) return this.#grammar.name('"[" ws "]"')
    const more = `("," ws ${item} ws){${Math.max(0, least - 1)},${most === null ? '' : most - 1}}`
    const items = `${item} ws ${more}`
    return this.#grammar.name(`"[" ws ${least === 0 ? `(${items})?` : items} "]"`)
  }

  /** A list with a schema for each place; it has every one of them and no more. */
  #tuple(schema: JsonObject, places: JsonValue, where: string, depth: number): string {
    if (!Array.isArray(places)) throw refuseSchema(`${where} must be a list of schemas`)
    const { least, most } = readLengths(schema, ['minItems', 'maxItems'], where)
    if (least > places.length || (most !== null && most < places.length))
      throw refuseSchema(`the lengths at ${where} must allow a list of ${places.length}`)
    const items = places.map((place: JsonValue, index) => this.#visit(place, `${where}/${index}`, depth + 1))
    return this.#grammar.name(`"[" ws ${items.map((rule) => `${rule} ws`).join(' "," ws ')} "]"`)
  }

  #oneOfValues(schema: JsonObject, keyword: string, values: JsonValue | undefined, where: string): string {
    refuseUnknown(schema, ['type', keyword], where)
    if (!Array.isArray(values) || values.length === 0) throw refuseSchema(`"${keyword}" at ${where} must list at least one value`)
    const typed = values.filter(
      (value: JsonValue) => schema.type === undefined || typesOf(schema, where).some((type) => isOfType(value, type)),
    )
    if (typed.length === 0) throw refuseSchema(`"${keyword}" at ${where} lists no value of its type`)
    const isBare = (value: JsonValue): value is string => this.#bareText !== null && typeof value === 'string'
    return this.#grammar.name(typed.map((value: JsonValue) => literal(isBare(value) ? value : JSON.stringify(value))).join(' | '))
  }

  #combine(schema: JsonObject, keyword: 'anyOf' | 'oneOf', where: string, depth: number): string {
    refuseUnknown(schema, [keyword, 'type'], where)
    const options = optionsOf(schema, keyword, where)
    const resolved = options.map((option) => this.#resolved(option, where))
    if ('type' in schema && !resolved.every((option) => isRecord(option) && haveSameTypes(option, schema, where)))
      throw refuseSchema(`"type" at ${where} must be that of every option of "${keyword}"`)
    if (keyword === 'oneOf' && !areDisjoint(resolved))
      throw refuseSchema(
        `"oneOf" at ${where} needs options of different types or constants, or objects that a required constant tells apart; use "anyOf"`,
      )
    return this.#alternatives(options.map((option, index) => this.#visit(option, `${where}/${keyword}/${index}`, depth + 1)))
  }

  /** Schemas that all hold, the one around them among them. */
  #all(schema: JsonObject, where: string, depth: number): string {
    const options = optionsOf(schema, 'allOf', where)
    const around = Object.entries(schema).filter(([keyword]) => keyword !== 'allOf' && !isAnnotation(keyword))
    const [only, ...others] = around.length === 0 ? options : [...options, Object.fromEntries(around)]
    if (only !== undefined && others.length === 0) return this.#visit(only, `${where}/allOf/0`, depth + 1)
    const merged = mergeObjects([only ?? true, ...others].map((option) => this.#resolved(option, where)))
    if (merged === null) throw refuseSchema(`"allOf" at ${where} is supported with one schema, or with objects whose members differ`)
    return this.#visit(merged, where, depth + 1)
  }

  /** An option, or what its reference points to. */
  #resolved(option: JsonValue, where: string): JsonValue {
    return isRecord(option) && '$ref' in option ? resolveReference(this.#root, option.$ref, where) : option
  }

  #reference(schema: JsonObject, where: string, depth: number): string {
    refuseUnknown(schema, ['$ref'], where)
    const reference = String(schema.$ref)
    if (this.#following.includes(reference)) throw refuseSchema(`"$ref" at ${where} leads back to itself at once`)
    const key = this.#bareText === null ? reference : `bare ${reference}`
    const known = this.#references.get(key)
    if (known !== undefined) return known
    const target = resolveReference(this.#root, schema.$ref, where)
    const name = this.#grammar.reserve()
    this.#references.set(key, name)
    const following = this.#following
    this.#following = [...following, reference]
    const rule = this.#visit(target, reference, depth + 1)
    this.#following = following
    return this.#grammar.define(name, rule)
  }

  #alternatives(rules: readonly string[]): string {
    const [only] = rules
    if (only !== undefined && rules.length === 1) return only
    return this.#grammar.name(rules.join(' | '))
  }
}

function optionsOf(schema: JsonObject, keyword: string, where: string): readonly JsonValue[] {
  const options = schema[keyword]
  if (!Array.isArray(options) || options.length === 0) throw refuseSchema(`"${keyword}" at ${where} must list at least one schema`)
  return options
}

function haveSameTypes(one: JsonObject, other: JsonObject, where: string): boolean {
  return typesOf(one, where).join() === typesOf({ type: other.type ?? null }, where).join()
}
