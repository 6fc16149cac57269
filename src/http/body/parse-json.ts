import { type ErrorCode, ServiceError } from '../../core/error.ts'
import { shortName } from '../../core/requests/short-name.ts'
import { type JsonShape, measureJson } from '../../core/text/json-shape.ts'
import { printPath } from '../wire/faults/print-path.ts'
import { countKeys, findDuplicateKey } from './duplicate-key.ts'
import { findHalfPair } from './half-pair.ts'
import { jsonBounds } from './json-bounds.ts'

const strictUtf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * Parses a body whose shape is within bounds and in which no object has a key twice: what one reader takes for the first and another for
 * the last could pass a check in one place and mean something else in the next. For the same reason every text is whole.
 *
 * @param tooDeep The code for a body that nests too deep.
 * @throws {ServiceError} that code, `payload_too_large` when it holds too many things,
 *   `invalid_json` when it is none, has a key twice or holds half of a surrogate pair.
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
  // Of what the engine says, the place alone: the rest may repeat the body.
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
