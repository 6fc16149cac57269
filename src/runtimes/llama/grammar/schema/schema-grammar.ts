import { isRecord, type JsonObject, type JsonValue } from '../../../../core/json-value.ts'
import { shortName } from '../../../../core/requests/request-record.ts'
import { type Grammar, literal } from '../gbnf.ts'
import { isPossible, maxValues, waysOf } from './conditions.ts'
import { areDisjoint, leaveOut, leaveOutRequired, tagOptions } from './disjoint-options.ts'
import { FlatSchemas } from './flat-schemas.ts'
import type { Leeway } from './leeway.ts'
import { listRule } from './list-rule.ts'
import { meets } from './meets.ts'
import { integerRule, numberRule } from './number-rules.ts'
import { objectRule } from './object-rule.ts'
import type { FlatSchema } from './read-schema.ts'
import { stringRule } from './string-rule.ts'
import { namedTypes, typeOfKeyword, typesOf } from './types-of.ts'
import { isOfType, jsonType, type SchemaType } from './value-types.ts'

const maxSchemaLength = 128 * 1024
const maxDepth = 64
/** Characters of its rules: about 50 ms to make and to read them. */
const maxLength = 96 * 1024
/** Schemas looked at, again where several are put together. */
const maxVisits = 20_000
/** Characters of all patterns together; reading them takes more time than the rest. */
const maxPatterns = 4096
/** Members of one object that ask for others; each doubles the ways to write it. */
const maxDependent = 4

/** Place of a schema. */
interface Place {
  readonly where: string
  readonly depth: number
}

/** Translates a JSON Schema into grammar rules whose every sentence is valid under it. */
export class SchemaGrammar {
  readonly #grammar: Grammar
  readonly #leeway: Leeway
  readonly #flat: FlatSchemas
  /** Rules of schemas that were visited, or are being visited; null = no rule has a name for it yet. */
  readonly #known = { json: new Map<JsonObject, string | null>(), bare: new Map<JsonObject, string | null>() }
  /** Schemas being visited, none of whose text has been written yet. */
  #following: readonly JsonObject[] = []
  #patternLength = 0
  #visits = 0
  /** Characters of rules that were there before. */
  readonly #lengthBefore: number
  /** The rule of a string without quotes; null = everything is JSON. */
  #bareText: string | null = null

  /** @param leeway What becomes of places that cannot be followed. */
  constructor(grammar: Grammar, root: JsonObject, leeway: Leeway) {
    this.#grammar = grammar
    this.#leeway = leeway
    this.#lengthBefore = grammar.length
    const length = JSON.stringify(root).length
    if (length > maxSchemaLength) leeway.loosen(`it has ${length} characters, at most ${maxSchemaLength} are allowed`)
    this.#flat = new FlatSchemas(length > maxSchemaLength ? {} : root, leeway)
  }

  /** @throws {ServiceError} `unsupported_parameter` naming the keyword and the place, unless there is leeway. */
  compile(): string {
    return this.#visit(this.#flat.root, { where: '#', depth: 0 })
  }

  /** Compiles the arguments of a tool, which are an object. */
  compileObject(): string {
    const place = { where: '#', depth: 0 }
    const flat = this.#flat.flatten(this.#flat.root, '#')
    const object = flat && this.#flat.intersect(flat, { type: ['object'] }, '#')
    if (object !== null) return this.#flatRule(object, place)
    this.#leeway.mistake('no object can meet it')
    return 'object'
  }

  /** The rule for a part of the schema whose value is JSON, or a string without quotes. @param text The rule of any such string. */
  compileBare(part: JsonValue, where: string, text: string): string {
    this.#bareText = text
    const rule = this.#visit(part, { where, depth: 1 })
    this.#bareText = null
    return rule
  }

  #visit(schema: JsonValue, { where: place, depth }: Place): string {
    const where = shortName(place)
    const anything = this.#bareText ?? 'value'
    if (schema === true) return anything
    if (!isRecord(schema)) {
      this.#leeway.mistake(`${where} is a schema that no value can satisfy`)
      return anything
    }
    const rules = this.#known[this.#bareText === null ? 'json' : 'bare']
    const known = rules.get(schema)
    if (known !== undefined && this.#following.includes(schema)) {
      this.#leeway.mistake(`"$ref" at ${where} refers to itself`)
      return anything
    }
    if (known !== undefined) return known ?? this.#nameOpen(rules, schema)
    if (this.#isTooDeep({ where, depth }) || this.#isTooLarge()) return anything
    rules.set(schema, null)
    const following = this.#following
    this.#following = [...following, schema]
    const rule = this.#rule(schema, { where, depth })
    this.#following = following
    const name = rules.get(schema)
    rules.set(schema, name ?? rule)
    return name ? this.#grammar.define(name, rule) : rule
  }

  #nameOpen(rules: Map<JsonObject, string | null>, schema: JsonObject): string {
    const name = this.#grammar.reserve()
    rules.set(schema, name)
    return name
  }

  #rule(schema: JsonObject, place: Place): string {
    const { $ref: reference, ...own } = this.#flat.read(schema, place.where)
    if (reference !== undefined && Object.keys(own).length === 0)
      return this.#visit(this.#flat.target(reference, place.where), { where: reference, depth: place.depth + 1 })
    const flat = this.#flat.flatten(schema, place.where)
    if (flat !== null) return this.#flatRule(flat, place)
    this.#leeway.mistake(`no value can meet all conditions at ${place.where}`)
    return this.#bareText ?? 'value'
  }

  #flatRule(schema: FlatSchema, place: Place): string {
    const { not, ...positive } = schema
    if (not !== undefined) return this.#flatRule(this.#without(positive, not, place), place)
    if (schema.values !== undefined) return this.#valuesRule(schema, schema.values, place)
    if (schema.anyOf !== undefined) return this.#options(schema, 'anyOf', schema.anyOf, place)
    if (schema.oneOf !== undefined) return this.#options(schema, 'oneOf', schema.oneOf, place)
    return this.#alternatives(typesOf(schema).map((type) => this.#typed(type, schema, place)))
  }

  #typed(type: SchemaType, schema: FlatSchema, place: Place): string {
    const { where } = place
    if (type === 'object') return this.#inside(() => this.#object(schema, place))
    this.#checkConditions(schema, where)
    if (type === 'array') return this.#inside(() => this.#list(schema, place))
    if (type === 'string') return this.#string(schema, where)
    if (type === 'integer') return integerRule(this.#grammar, schema, where, this.#leeway)
    if (type === 'number') return numberRule(this.#grammar, schema, where, this.#leeway)
    return type
  }

  /** Visits the content of brackets, which is JSON and where recursive references are allowed. */
  #inside(visit: () => string): string {
    const [following, bareText] = [this.#following, this.#bareText]
    this.#following = []
    this.#bareText = null
    const rule = visit()
    this.#following = following
    this.#bareText = bareText
    return rule
  }

  #object(whole: FlatSchema, place: Place): string {
    const { conditions = [], ...schema } = whole
    if (conditions.length > 0) return this.#conditional(whole, place)
    const { dependentRequired = {}, ...free } = schema
    const [dependent, ...others] = Object.entries(dependentRequired)
    if (dependent === undefined || others.length >= maxDependent) {
      if (dependent !== undefined)
        this.#leeway.loosen(`"dependentRequired" at ${place.where} is supported for up to ${maxDependent} members`)
      const rule = (part: JsonValue, where: string): string => this.#visit(part, { where, depth: place.depth + 1 })
      return objectRule(this.#grammar, free, { where: place.where, flat: this.#flat, leeway: this.#leeway, rule })
    }
    const [name, needs] = dependent
    const rest = { ...free, dependentRequired: Object.fromEntries(others) }
    const { required = [], properties = {} } = schema
    const together = { ...rest, required: [...new Set([...required, name, ...needs])] }
    if (required.includes(name)) return this.#object(together, place)
    if (!Object.hasOwn(properties, name)) return this.#object(rest, place)
    const without = leaveOut(rest, [name])
    return this.#alternatives([...(without === null ? [] : [this.#object(without, place)]), this.#object(together, place)])
  }

  #conditional(schema: FlatSchema, { where, depth }: Place): string {
    const rules: string[] = []
    for (const way of this.#ways(schema, { where, depth })) rules.push(this.#limited(way, { where, depth: depth + 1 }))
    if (rules.length > 0) return this.#alternatives(rules)
    this.#leeway.mistake(`no value can meet all conditions at ${where}`)
    return 'object'
  }

  /** The ways to write an object under conditions, without those that no value can meet. */
  *#ways(whole: FlatSchema, { where, depth }: Place): Generator<FlatSchema, void, undefined> {
    const { conditions = [], ...schema } = whole
    const [condition] = conditions
    const isSimple = [whole.not, whole.values, whole.anyOf, whole.oneOf].every((choices) => choices === undefined)
    if (condition === undefined || !isSimple) return yield whole
    if (this.#isTooDeep({ where, depth }) || this.#isTooLarge()) return yield schema
    const { name } = condition
    const [mine, others] = [conditions.filter((each) => each.name === name), conditions.filter((each) => each.name !== name)]
    this.#visits += mine.length
    const ways = waysOf(schema, mine, { name, valuesOf: (member) => this.#valuesOf(member, `${where}/properties/${name}`) })
    if (ways === null) {
      this.#leeway.loosen(`"if" at ${where} is supported for a member whose values are listed, at most ${maxValues}`)
      return yield* this.#ways({ ...schema, conditions: others }, { where, depth })
    }
    for (const way of ways) {
      const start: FlatSchema = { ...way.schema, type: ['object'], ...(others.length > 0 && { conditions: others }) }
      const said = way.beside.filter((branch) => branch.schema !== true)
      const all = said.reduce<FlatSchema | null>((one, branch) => one && this.#flat.beside(one, branch, where), start)
      const met = all && this.#withoutImpossible(all, where)
      if (met !== null && isPossible(met)) yield* this.#ways(met, { where, depth: depth + 1 })
    }
  }

  /** An object where members that no value can meet are never there. */
  #withoutImpossible(schema: FlatSchema, where: string): FlatSchema {
    const members = Object.entries(schema.properties ?? {})
    const isNone = (name: string, member: JsonValue) => this.#valuesOf(member, `${where}/properties/${name}`)?.length === 0
    const properties = Object.fromEntries(members.map(([name, member]) => [name, isNone(name, member) ? false : member]))
    return members.length === 0 ? schema : { ...schema, properties }
  }

  /** Loosens conditions that say something about what is no object. */
  #checkConditions({ conditions = [] }: FlatSchema, where: string): void {
    for (const { needsObject, whenMet, otherwise } of conditions) {
      const branch = needsObject ? otherwise : whenMet
      const flat = this.#flat.flatten(branch.schema, branch.where)
      if (flat === null || Object.keys(flat).some((keyword) => typeOfKeyword(keyword) !== 'object'))
        this.#leeway.loosen(`"if" at ${where} is supported for objects only`)
    }
  }

  /** The values that a schema allows, if it lists them; null = it does not, or keywords beside them decide. */
  #valuesOf(schema: JsonValue, where: string): readonly JsonValue[] | null {
    const flat = this.#flat.flatten(schema, where)
    if (flat === null) return []
    const types = namedTypes(flat) ?? []
    const isShort = types.length > 0 && types.every((type) => type === 'boolean' || type === 'null')
    const judged = (flat.values ?? (isShort ? [true, false, null] : [])).map((value) => ({ value, valid: meets(value, flat) }))
    if (judged.length === 0 || judged.some(({ valid }) => valid === null)) return null
    return judged.filter(({ valid }) => valid).map(({ value }) => value)
  }

  #list(schema: FlatSchema, { where, depth }: Place): string {
    const rule = (part: JsonValue, index: number): string =>
      this.#visit(part, { where: index === -1 ? `${where}/items` : `${where}/prefixItems/${index}`, depth: depth + 1 })
    const valuesOf = (part: JsonValue) => this.#valuesOf(part, `${where}/items`)
    return listRule(this.#grammar, schema, { where, leeway: this.#leeway, rule, valuesOf })
  }

  #string(schema: FlatSchema, where: string): string {
    const { pattern, ...others } = schema
    if (pattern !== undefined) this.#patternLength += pattern.length
    const tooLong = this.#patternLength > maxPatterns
    if (tooLong && pattern !== undefined) this.#leeway.loosen(`its patterns have more than ${maxPatterns} characters together`)
    return stringRule(this.#grammar, tooLong ? others : schema, { where, bareText: this.#bareText, leeway: this.#leeway })
  }

  #valuesRule(schema: FlatSchema, values: readonly JsonValue[], { where }: Place): string {
    if (values.some((value) => jsonType(value) !== 'object')) this.#checkConditions(schema, where)
    const judged = values.map((value) => ({ value, valid: meets(value, schema) }))
    const unsure = judged.filter(({ valid }) => valid === null)
    if (unsure.length > 0) this.#leeway.loosen(`"enum" at ${where} is followed without the keywords beside it`)
    const valid = judged.filter((each) => each.valid !== false).map(({ value }) => value)
    if (valid.length === 0) this.#leeway.mistake(`"enum" at ${where} lists no value that fits its type and the keywords beside it`)
    const isBare = (value: JsonValue): value is string => this.#bareText !== null && typeof value === 'string'
    const listed = valid.length === 0 ? values : valid
    return this.#grammar.name(listed.map((value) => literal(isBare(value) ? value : JSON.stringify(value))).join(' | '))
  }

  /** One of several schemas, combined with the keywords beside them. */
  #options(schema: FlatSchema, keyword: 'anyOf' | 'oneOf', options: readonly JsonValue[], place: Place): string {
    const { where, depth } = place
    const { [keyword]: _, ...around } = schema
    const flat = options.map((option, index) => this.#flat.flatten(option, `${where}/${keyword}/${index}`))
    const isPlain = Object.keys(around).length === 0
    const possible = flat.map((option) => (option === null || isPlain ? option : this.#flat.intersect(around, option, where)))
    if (possible.every((option) => option === null)) {
      this.#leeway.mistake(`no option of "${keyword}" at ${where} can be met`)
      return isPlain ? (this.#bareText ?? 'value') : this.#flatRule(around, place)
    }
    if (keyword === 'oneOf') {
      const met = possible.filter((option) => option !== null)
      const read = (member: JsonValue): FlatSchema | null => this.#flat.flatten(member, where)
      const combined = possible.flatMap((whole, index) => (whole === null ? [] : [{ whole, own: flat[index] ?? {} }]))
      const tagged = areDisjoint(met, read) ? undefined : (tagOptions(met, read) ?? leaveOutRequired(combined))
      if (tagged)
        return this.#alternatives(
          tagged.map((option, index) => this.#limited(option, { where: `${where}/${keyword}/${index}`, depth: depth + 1 })),
        )
      if (tagged === null)
        this.#leeway.loosen(
          `"oneOf" at ${where} needs options that differ by type, constant, a constant member or required members; use "anyOf"`,
        )
    }
    const rules = options.flatMap((option, index) => {
      const one = possible[index] ?? null
      if (one === null) return []
      const at = { where: `${where}/${keyword}/${index}`, depth: depth + 1 }
      return [isPlain ? this.#visit(option, at) : this.#limited(one, at)]
    })
    return this.#alternatives(rules)
  }

  /** A schema that was put together, within the limits of all. */
  #limited(schema: FlatSchema, place: Place): string {
    return this.#isTooDeep(place) || this.#isTooLarge() ? (this.#bareText ?? 'value') : this.#flatRule(schema, place)
  }

  #isTooDeep({ where, depth }: Place): boolean {
    if (depth > maxDepth) this.#leeway.loosen(`it nests deeper than ${maxDepth} levels at ${where}`)
    return depth > maxDepth
  }

  #isTooLarge(): boolean {
    const isTooLarge = ++this.#visits > maxVisits || this.#grammar.length - this.#lengthBefore > maxLength
    if (isTooLarge) this.#leeway.loosen('it is too large to be followed in every place')
    return isTooLarge
  }

  /** A schema less what another allows, where that is types or values. */
  #without(schema: FlatSchema, not: JsonValue, { where }: Place): FlatSchema {
    const flat = this.#flat.flatten(not, `${where}/not`)
    if (flat === null) return schema
    const said = Object.keys(flat)
    if (said.length === 0) this.#leeway.mistake(`"not" at ${where} excludes every value`)
    else if (said.join() === 'type') {
      const types = typesOf(schema).filter((type) => !flat.type?.includes(type) && !(type === 'integer' && flat.type?.includes('number')))
      const splits = flat.type?.includes('integer') === true && types.includes('number')
      if (types.length > 0 && !splits) return { ...schema, type: types }
    } else if (flat.values !== undefined && said.join() === 'values' && schema.values !== undefined) {
      const excluded = new Set(flat.values.map((value) => JSON.stringify(value)))
      const values = schema.values.filter((value) => !excluded.has(JSON.stringify(value)))
      if (values.length > 0) return { ...schema, values }
    } else if (
      flat.values !== undefined &&
      said.join() === 'values' &&
      !typesOf(schema).some((type) => flat.values?.some((value) => isOfType(value, type)))
    )
      return schema
    this.#leeway.loosen(`"not" at ${where} is supported for types, and for values beside "enum"`)
    return schema
  }

  #alternatives(rules: readonly string[]): string {
    const [only = '', ...others] = rules
    return others.length === 0 ? only : this.#grammar.name([...new Set(rules)].join(' | '))
  }
}
