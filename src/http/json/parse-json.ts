import { type ErrorCode, ServiceError } from '../../core/error.ts'
import { shortName } from '../../core/requests/request-record.ts'
import { printPath } from '../../core/schema/describe-schema.ts'
import { type JsonBounds, type JsonShape, measureJson } from '../../core/text/json-shape.ts'

/**
 * Limits of any body's shape. The depth leaves room for the deepest allowed content: JSON Schemas of 32 levels (64 of JSON) in tools. The
 * counts leave room for five thousand messages, 128 tools with ninety keys each, or 300 000 token ids, and keep all work of the event loop on
 * one body under 20 ms.
 */
export const jsonBounds: JsonBounds = { depth: 100, containers: 12_000, keys: 12_000, keyBytes: 1024, entries: 350_000 }

const strictUtf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * Parses a body and checks its shape.
 *
 * An object must not have a key twice: one reader would take the first value and another the last, so that a check could pass and the value
 * still differ. Strings must not contain half of a surrogate pair, for the same reason.
 *
 * @param tooDeep The code for a body that nests too deeply.
 * @throws {ServiceError} that code, `payload_too_large` when the body has too many elements, `invalid_json` when it is not JSON, has a
 * duplicate key or half of a surrogate pair.
 */
export function parseJson(bytes: Buffer, tooDeep: ErrorCode): unknown {
  const shape = measureJson(bytes, jsonBounds)
  refuseShape(shape, tooDeep)
  const text = decode(bytes)
  const value = parse(text)
  if (countKeys(value) !== shape.keys) refuseDuplicate(bytes)
  refuseHalfPair(text, value)
  return value
}

function refuseShape({ depth, containers, keys, keyBytes, entries }: JsonShape, tooDeep: ErrorCode): void {
  if (depth > jsonBounds.depth)
    throw new ServiceError(tooDeep, `Send a body that nests at most ${jsonBounds.depth} levels of objects and lists.`)
  if (containers > jsonBounds.containers) throw tooMany(jsonBounds.containers, 'objects and lists')
  if (keys > jsonBounds.keys) throw tooMany(jsonBounds.keys, 'keys in its objects')
  if (keyBytes > jsonBounds.keyBytes) throw new ServiceError('payload_too_large', `Send keys of at most ${jsonBounds.keyBytes} bytes each.`)
  if (entries > jsonBounds.entries) throw tooMany(jsonBounds.entries, 'values')
}

function decode(bytes: Buffer): string {
  try {
    return strictUtf8.decode(bytes)
  } catch (cause) {
    throw notJson(cause)
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw notJson(cause)
  }
}

function notJson(cause: unknown): ServiceError {
  // Only the position from the engine's message is used: the rest may repeat the body.
  const [place] = /line \d+ column \d+/.exec(cause instanceof SyntaxError ? cause.message : '') ?? []
  const where = place === undefined ? '' : `; this one breaks at ${place}`
  return new ServiceError('invalid_json', `Send a body that is valid JSON in UTF-8${where}.`, { cause })
}

function refuseHalfPair(text: string, value: unknown): void {
  const place = findHalfPair(text, value)
  if (place === undefined) return
  const param = shortName(printPath(place))
  const holder = param === '' ? 'the body' : `\`${param}\``
  throw new ServiceError(
    'invalid_json',
    `Send complete characters; ${holder} has half of a surrogate pair, such as an emoji cut in two.`,
    param === '' ? {} : { param },
  )
}

function refuseDuplicate(bytes: Buffer): void {
  const key = shortName(findDuplicateKey(bytes) ?? '')
  throw new ServiceError('invalid_json', `Send each key of an object once; \`${key}\` appears twice.`, { param: key })
}

function tooMany(most: number, things: string): ServiceError {
  return new ServiceError('payload_too_large', `Send a body with at most ${most} ${things}.`)
}

const quote = 0x22
const backslash = 0x5c
const colon = 0x3a
const openBrace = 0x7b
const closeBrace = 0x7d

/** Counts the keys of all objects of a parsed JSON text. The text has more colons when an object has a key twice. */
export function countKeys(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  const entries: readonly unknown[] = Object.values(value)
  let keys = Array.isArray(value) ? 0 : entries.length
  for (const entry of entries) if (typeof entry === 'object') keys += countKeys(entry)
  return keys
}

/**
 * Finds the first duplicate key of an object. Slow; called only when {@link countKeys} shows that there is one.
 *
 * @param json A valid JSON text.
 */
export function findDuplicateKey(json: Buffer): string | undefined {
  const objects: Set<string>[] = []
  let text = { start: 0, end: 0 }
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at]
    if (byte === openBrace) objects.push(new Set())
    else if (byte === closeBrace) objects.pop()
    else if (byte === quote) {
      const start = at
      for (at += 1; at < json.length && json[at] !== quote; at += 1) if (json[at] === backslash) at += 1
      text = { start, end: at + 1 }
    } else if (byte === colon) {
      const key = readString(json.toString('utf8', text.start, text.end))
      if (objects.at(-1)?.has(key)) return key
      objects.at(-1)?.add(key)
    }
  }
  return undefined
}

function readString(literal: string): string {
  // Few keys contain an escape, and JSON.parse for every key would take most of the time.
  return literal.includes('\\') ? String(JSON.parse(literal)) : literal.slice(1, -1)
}

/** A position in a JSON value: keys and indices. */
type Place = readonly (string | number)[]

/** An escaped surrogate in a JSON text. UTF-8 bytes cannot encode half of a pair. */
const escaped = /\\u[dD][89a-fA-F]/

/**
 * Finds a string or key with half of a surrogate pair, such as an emoji cut in two; undefined when there is none. Escapes can express it, but
 * it is not a character, and writing it as UTF-8 would change the text.
 *
 * @see RFC 8259, section 8.2
 */
export function findHalfPair(json: string, value: unknown): Place | undefined {
  return escaped.test(json) ? search(value) : undefined
}

function search(value: unknown): Place | undefined {
  if (typeof value === 'string') return value.isWellFormed() ? undefined : []
  if (typeof value !== 'object' || value === null) return undefined
  if (Array.isArray(value)) {
    for (const [index, entry] of value.entries()) {
      const found = search(entry)
      if (found !== undefined) return [index, ...found]
    }
    return undefined
  }
  for (const [key, entry] of Object.entries(value)) {
    const found = key.isWellFormed() ? search(entry) : []
    if (found !== undefined) return [key.toWellFormed(), ...found]
  }
  return undefined
}
