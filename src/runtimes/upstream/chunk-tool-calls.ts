import { randomUUID } from 'node:crypto'
import { isRecord } from '../../core/json-value.ts'
import type { TextPart } from '../../core/text-generation.ts'
import type { ChunkFunction, ChunkMessage, ChunkToolCall } from './chunk.ts'
import { textIn, textOf } from './chunk-texts.ts'
import { makeBrokenError } from './upstream-error.ts'

/** Maximum calls of one choice: more than any client runs. */
const maxCalls = 1024
/** Maximum characters of calls that are held back until an earlier one ends. */
const maxWaiting = 4 << 20
/** Maximum pieces of arguments that come as objects. */
const maxObjects = 1000
/** Index for the pieces of a `function_call`, which has none. */
const legacy = -1

/** What a piece says of its call. */
interface Piece {
  readonly id: string | undefined
  /** Empty = none. */
  readonly name: string
  readonly fragment: string
}

/** The id of a call that its server gives none. */
export function newCallId(): string {
  return `call_${randomUUID().replaceAll('-', '')}`
}

interface Call {
  readonly index: number
  /** By which the server tells it from others. */
  readonly number: number | undefined
  readonly id: string
  /** Whether the id is the server's. */
  readonly hasOwnId: boolean
  readonly name: string
  readonly arguments: JsonText
  /** Arguments that the server sends as an object, in one piece or in several; null = as text. */
  object: object | null
  /** Pieces of that object. */
  objects: number
  /** Characters of the arguments that have been passed on; null = not even the name. */
  passed: number | null
}

/**
 * Collects the tool calls of one choice, numbers them in order of their beginnings and passes them on one after the other, however a server numbers and mixes their pieces. A call
 * begins with a name under another index or id, at another position of one list, or after complete arguments.
 */
export class ToolCalls {
  readonly #calls: Call[] = []
  readonly #byNumber = new Map<number, Call>()
  /** Ids and arguments of calls that have no name yet. */
  readonly #unnamed = new Map<number | undefined, Pick<Piece, 'id' | 'fragment'>>()
  /** The calls of the last list without indexes, by position. */
  #places: readonly Call[] = []
  /** The first call that may be incomplete. */
  #first = 0
  readonly #choice: number

  constructor(choice: number) {
    this.#choice = choice
  }

  /** Whether there are any calls. */
  get exist(): boolean {
    return this.#calls.length > 0
  }

  /** Adds the calls of a message or of a piece of one. */
  add({ tool_calls: calls, function_call: old }: Pick<ChunkMessage, 'tool_calls' | 'function_call'>): readonly TextPart[] {
    const listed = listOf(calls)
    const pieces: readonly ChunkToolCall[] = [...listed, ...(old ? [{ index: legacy, function: old }] : [])]
    if (pieces.length === 0) return []
    const places: Call[] = []
    for (const piece of pieces) {
      const call = this.#find(piece, { places, isAlone: pieces.length === 1 })
      if (call !== undefined) places.push(call)
    }
    if (places.length > 0) this.#places = places
    return this.#pass({ isEnd: false })
  }

  /**
   * The remaining parts when the choice has ended.
   *
   * @param isCut Whether the last call may be cut off. If not, missing arguments become an empty object.
   */
  end({ isCut }: { readonly isCut: boolean }): readonly TextPart[] {
    if (!isCut) for (const { arguments: text } of this.#calls) if (text.value === '') text.add('{}')
    return this.#pass({ isEnd: true })
  }

  /** Adds a piece's arguments to its call and returns the call; undefined if none has begun. */
  #find(piece: ChunkToolCall, { places, isAlone }: { readonly places: readonly Call[]; readonly isAlone: boolean }): Call | undefined {
    const called: ChunkFunction = piece.function ?? piece
    const [number, ownId, name] = [numberOf(piece.index), idOf(piece.id), textOf(called.name) ?? '']
    const known =
      number === undefined ? this.#unnumbered({ id: ownId, name }, { place: places.length, isAlone }) : this.#numbered(number, ownId)
    const own: Piece = { id: ownId, name, fragment: argumentsOf(called.arguments) }
    const { id, fragment } = known === undefined ? this.#withUnnamed(number, own) : own
    const isRepeated = known !== undefined && places.includes(known) && known.arguments.isWhole
    const begins = name !== '' && (known === undefined || isRepeated || isAnother(known, { id, name, fragment }))
    const call = begins ? this.#begin(number, { id, name }) : known
    if (call === undefined || fragment.trim() === '') return call
    const object = isRecord(called.arguments) ? called.arguments : null
    if (object !== null && (call.object !== null || call.arguments.value.trim() === '')) {
      if (++call.objects > maxObjects || call.arguments.value.length > maxWaiting)
        throw makeBrokenError('sent the arguments of a call in too many pieces')
      call.object = { ...call.object, ...object }
      call.arguments.replace(JSON.stringify(call.object))
    } else if (!call.arguments.isWhole) call.arguments.add(fragment)
    // Some servers send `{}` before the arguments.
    else if (call.arguments.isEmptyObject && (call.passed ?? 0) === 0) call.arguments.replace(fragment)
    else if (id === undefined) return this.#begin(number, { id, name: call.name }, fragment)
    return call
  }

  /** A piece with a number belongs to the call with its id, where several were numbered alike, or else to the last of its number. */
  #numbered(number: number, id: string | undefined): Call | undefined {
    return this.#calls.find((call) => call.number === number && call.hasOwnId && call.id === id) ?? this.#byNumber.get(number)
  }

  /** Keeps what comes before a call has a name, and adds it to the piece that names it. */
  #withUnnamed(number: number | undefined, { id, name, fragment }: Piece): Pick<Piece, 'id' | 'fragment'> {
    const before = this.#unnamed.get(number)
    if (name !== '' && before === undefined) return { id, fragment }
    const all = { id: before?.id ?? id, fragment: (before?.fragment ?? '') + fragment }
    if (name !== '') {
      this.#unnamed.delete(number)
      return all
    }
    if (this.#unnamed.size === maxCalls || all.fragment.length > maxWaiting) throw makeBrokenError('sent tool calls without names')
    this.#unnamed.set(number, all)
    return { id, fragment }
  }

  /** A piece without an index belongs to the call with its id, else to the one at its position, else to the last. */
  #unnumbered(
    { id, name }: Pick<Piece, 'id' | 'name'>,
    { place, isAlone }: { readonly place: number; readonly isAlone: boolean },
  ): Call | undefined {
    if (id !== undefined)
      return this.#calls.find((call) => call.hasOwnId && call.id === id) ?? (name === '' ? this.#calls.at(-1) : undefined)
    if (name !== '') return place === 0 ? this.#calls.at(-1) : undefined
    return isAlone ? this.#calls.at(-1) : this.#places[place]
  }

  #begin(number: number | undefined, { id, name }: Pick<Piece, 'id' | 'name'>, fragment = ''): Call {
    if (this.#calls.length === maxCalls) throw makeBrokenError(`called more than ${maxCalls} tools`)
    const isOwn = id !== undefined && !this.#calls.some((call) => call.id === id)
    const call: Call = {
      index: this.#calls.length,
      number,
      id: isOwn ? id : newCallId(),
      hasOwnId: isOwn,
      name,
      arguments: new JsonText(),
      object: null,
      objects: 0,
      passed: null,
    }
    this.#calls.push(call)
    if (number !== undefined) this.#byNumber.set(number, call)
    call.arguments.add(fragment)
    return call
  }

  /** The parts that can be passed on in order: those of a call once all calls before it are complete. */
  #pass({ isEnd }: { readonly isEnd: boolean }): readonly TextPart[] {
    const parts: TextPart[] = []
    for (let call = this.#calls[this.#first]; call !== undefined; call = this.#calls[this.#first]) {
      const { index, id, name, arguments: text } = call
      const isLast = index === this.#calls.length - 1
      if (call.passed === null) parts.push({ type: 'tool-call', choice: this.#choice, index, id, name })
      call.passed ??= 0
      const isSettled = isEnd || !isLast || (call.object === null && !text.isEmptyObject)
      const fragment = isSettled ? text.value.slice(call.passed) : ''
      if (fragment !== '') parts.push({ type: 'tool-arguments', choice: this.#choice, index, fragment })
      call.passed += fragment.length
      if (!isEnd && (isLast || !text.isWhole)) break
      this.#first++
    }
    const waiting = this.#calls.slice(this.#first + 1).reduce((sum, { arguments: text }) => sum + text.value.length, 0)
    if (waiting > maxWaiting) throw makeBrokenError('began tool calls without finishing them')
    return parts
  }
}

/** The calls of a message; some servers send null among them, or one alone. */
function listOf(calls: ChunkMessage['tool_calls']): readonly ChunkToolCall[] {
  if (calls === undefined || calls === null) return []
  const listed: readonly unknown[] = Array.isArray(calls) ? calls.filter((call) => call !== null) : [calls]
  if (!listed.every(isRecord)) throw makeBrokenError('sent malformed tool calls')
  return listed
}

/** Whether a name begins a new call although its index is in use. */
function isAnother(call: Call, { id, name, fragment }: Piece): boolean {
  if (id !== undefined && call.hasOwnId) return id !== call.id || (call.arguments.isWhole && name !== call.name)
  return call.arguments.isWhole && (name !== call.name || fragment.trim() !== '')
}

/** A JSON value that arrives in pieces; each piece is scanned once. */
class JsonText {
  #text = ''
  #depth = 0
  #inString = false
  #isEscaped = false
  #hasBegun = false

  get value(): string {
    return this.#text
  }

  /** Whether every bracket is closed. */
  get isWhole(): boolean {
    return this.#hasBegun && this.#depth === 0
  }

  get isEmptyObject(): boolean {
    return this.#text.length < 16 && /^\s*\{\s*\}\s*$/.test(this.#text)
  }

  replace(text: string): void {
    this.#text = ''
    this.#hasBegun = false
    this.add(text)
  }

  add(fragment: string): void {
    this.#text += fragment
    for (const character of fragment)
      if (this.#inString) {
        if (!this.#isEscaped && character === '"') this.#inString = false
        this.#isEscaped = !this.#isEscaped && character === '\\'
      } else if (character === '"') this.#inString = true
      else if (character === '{' || character === '[') {
        this.#hasBegun = true
        this.#depth++
      } else if (character === '}' || character === ']') this.#depth--
  }
}

/** The index of a call; some servers send it as a string. */
function numberOf(index: unknown): number | undefined {
  if (index === undefined || index === null) return undefined
  const number = typeof index === 'string' && /^\d+$/.test(index) ? Number(index) : index
  if (typeof number !== 'number') throw makeBrokenError('sent a tool call without a number')
  return number
}

/** The server's id of a call; undefined if missing or empty. */
function idOf(id: unknown): string | undefined {
  if (typeof id === 'number') return String(id)
  return typeof id === 'string' && id !== '' ? id : undefined
}

/** Arguments as a JSON string; some servers send an object. */
function argumentsOf(value: unknown): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : (textIn(value) ?? '')
}
