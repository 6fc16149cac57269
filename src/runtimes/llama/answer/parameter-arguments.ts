import type { JsonObject } from '../../../core/json-value.ts'
import { longestBeginning } from '../../../core/text/longest-beginning.ts'
import { matchAny } from '../binding/match-any.ts'
import { JsonScanner } from '../grammar/json-scanner.ts'
import { isOfTypes, ToolParameters } from '../grammar/schema/tool-parameters.ts'
import { type SchemaType, schemaTypes } from '../grammar/schema/value-types.ts'
import { lineBreaks, type ParameterNotation, type ToolFormat, valueEnds } from '../prompt/tool-format.ts'
import { type ArgumentsReader, longestHead, type ReadArguments } from './arguments-reader.ts'

interface Value {
  readonly types: ReadonlySet<SchemaType>
  /** Whether it can only be a string, so that it is streamed as it comes. */
  readonly isString: boolean
  /** Follows what can only be JSON, whose strings may hold what would end a value; null = it may be a string. */
  readonly json: JsonScanner | null
  text: string
}

/**
 * Converts arguments in a model's own notation to JSON: values that the schema allows to be strings become strings, unless they are JSON of
 * another allowed type.
 */
export class ParameterArguments implements ArgumentsReader {
  readonly #parameters: ToolParameters
  readonly #mark: string
  readonly #end: string
  readonly #head: RegExp
  readonly #valueEnds: readonly string[]
  /** Whether there is a line break before and after each value. */
  readonly #breaks: { readonly before: boolean; readonly behind: boolean }
  #held = ''
  #value: Value | null = null
  /** Whether the line break before a value may still come. */
  #begins = false
  #count = 0
  #started = false
  #ended = false

  constructor(format: ToolFormat, notation: ParameterNotation, schema: JsonObject) {
    const { open, between, close } = notation
    this.#parameters = new ToolParameters(schema)
    this.#mark = open
    this.#end = format.after.split('\n', 1).join()
    const behindName = between.trim().split('\n').map(pattern).join('\\s*')
    this.#head = new RegExp(`${pattern(open)}(.*?)${behindName}`, 's')
    this.#breaks = { before: between.endsWith('\n'), behind: close.startsWith('\n') }
    const ends = valueEnds(format, notation)
    this.#valueEnds = this.#breaks.behind ? lineBreaks.flatMap((lineBreak) => ends.map((end) => lineBreak + end)) : ends
  }

  get open(): boolean {
    return !this.#ended
  }

  add(fragment: string): ReadArguments {
    this.#held += fragment
    let json = this.#started ? '' : '{'
    this.#started = true
    for (let read = this.#step(); read !== null; read = this.#step()) json += read
    const rest = this.#ended ? this.#held : ''
    return { json, rest }
  }

  /** The next part of the JSON; null when more must come first. */
  #step(): string | null {
    if (this.#ended) return null
    return this.#value === null ? this.#readMark() : this.#readValue(this.#value)
  }

  #readMark(): string | null {
    const [opens, ends] = [this.#mark, this.#end].map((mark) => this.#held.indexOf(mark))
    if (opens === undefined || ends === undefined) return null
    if (ends !== -1 && (opens === -1 || ends < opens)) {
      this.#held = this.#held.slice(ends)
      this.#ended = true
      return '}'
    }
    if (opens === -1) {
      this.#held = this.#held.slice(this.#held.length - longestBeginning(this.#held, [this.#mark, this.#end]))
      return null
    }
    const head = this.#head.exec(this.#held)
    if (head === null && this.#held.length - opens <= longestHead) return null
    if (head === null || head[0].length > longestHead) {
      this.#held = this.#held.slice(opens + this.#mark.length)
      return ''
    }
    const [written, name = ''] = head
    this.#held = this.#held.slice(head.index + written.length)
    const types = this.#parameters.typesOf(name.trim())
    const isString = types.size === 1 && types.has('string')
    const isJson = this.#parameters.members !== null && types.size > 0 && !types.has('string')
    this.#value = { types, isString, json: isJson ? new JsonScanner() : null, text: '' }
    this.#begins = this.#breaks.before
    return `${this.#count++ === 0 ? '' : ', '}${JSON.stringify(name.trim())}: ${isString ? '"' : ''}`
  }

  #readValue(value: Value): string | null {
    if (this.#begins) {
      if (this.#held === '' || this.#held === '\r') return null
      this.#held = this.#held.replace(/^\r?\n/, '')
      this.#begins = false
    }
    const [at, end] = this.#firstEnd()
    const safe = at === -1 ? this.#held.length - longestBeginning(this.#held, this.#valueEnds) : at
    const text = this.#held.slice(0, safe)
    value.json?.add(text)
    const json = value.isString ? JSON.stringify(text).slice(1, -1) : ''
    if (!value.isString) value.text += text
    this.#held = this.#held.slice(safe)
    if (at === -1) return json === '' ? null : json
    if (value.json?.inString === true && !end.includes('\n')) return this.#keepFirst(value)
    // The following text belongs to the end of the value and is read again.
    this.#held = this.#held.slice(end.lastIndexOf('<'))
    this.#value = null
    return json + (value.isString ? '"' : writeValue(value))
  }

  /** Text that only resembles an end is part of the value, at least its first character. */
  #keepFirst(value: Value): string {
    const first = this.#held.slice(0, 1)
    value.json?.add(first)
    value.text += first
    this.#held = this.#held.slice(1)
    return ''
  }

  #firstEnd(): readonly [at: number, end: string] {
    let first: readonly [number, string] = [-1, '']
    for (const end of this.#valueEnds) {
      const at = this.#held.indexOf(end)
      if (at !== -1 && (first[0] === -1 || at < first[0])) first = [at, end]
    }
    return first
  }
}

const strings: ReadonlySet<SchemaType> = new Set(['string'])
const everything: ReadonlySet<SchemaType> = new Set(schemaTypes)

const pattern = (text: string): string => matchAny([text]).source

/** Python literals, as written by many models' templates. */
const pythonWords: Readonly<Record<string, string>> = { True: 'true', False: 'false', None: 'null' }

/** The value itself if it is JSON (of a permitted type other than string, where strings are permitted); else a JSON string. */
function writeValue({ text, types }: Value): string {
  const trimmed = text.trim()
  const json = Object.hasOwn(pythonWords, trimmed) ? (pythonWords[trimmed] ?? '') : trimmed
  const meant = types.has('string') ? types.difference(strings) : everything
  return isOfTypes(json, meant) ? json : JSON.stringify(text)
}
