import { type ErrorCode, ServiceError } from '../../core/error.ts'
import { shortName } from '../../core/requests/short-name.ts'
import { countKeys, findDuplicateKey } from './duplicate-key.ts'
import { jsonBounds } from './json-bounds.ts'
import { type JsonShape, measureJson } from './json-shape.ts'

const strictUtf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * Parses a body whose shape is within bounds and in which no object has a key twice: what one reader takes for the first and another for
 * the last could pass a check in one place and mean something else in the next.
 *
 * @param tooDeep The code for a body that nests too deep.
 * @throws {ServiceError} that code, `payload_too_large` when it holds too many things,
 *   `invalid_json` when it is none or has a key twice.
 */
export function parseJson(bytes: Buffer, tooDeep: ErrorCode): unknown {
  const shape = measureJson(bytes, jsonBounds)
  refuseShape(shape, tooDeep)
  const value = parse(bytes)
  if (countKeys(value) !== shape.keys) refuseDuplicate(bytes)
  return value
}

function refuseShape({ depth, containers, keys, keyBytes, entries }: JsonShape, tooDeep: ErrorCode): void {
  if (depth > jsonBounds.depth)
    throw new ServiceError(
      tooDeep,
      `Send a body that nests at most ${jsonBounds.depth} levels deep; objects and lists in each other count.`,
    )
  if (containers > jsonBounds.containers) throw tooMany(jsonBounds.containers, 'objects and lists')
  if (keys > jsonBounds.keys) throw tooMany(jsonBounds.keys, 'keys in its objects')
  if (keyBytes > jsonBounds.keyBytes) throw new ServiceError('payload_too_large', `Send keys of at most ${jsonBounds.keyBytes} bytes each.`)
  if (entries > jsonBounds.entries) throw tooMany(jsonBounds.entries, 'values')
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(strictUtf8.decode(bytes))
  } catch (cause) {
    throw new ServiceError('invalid_json', 'Send a body that is valid JSON in UTF-8.', { cause })
  }
}

function refuseDuplicate(bytes: Buffer): void {
  const key = shortName(findDuplicateKey(bytes) ?? '')
  throw new ServiceError('invalid_json', `Send each key of an object once; \`${key}\` is there twice.`, { param: key })
}

function tooMany(most: number, things: string): ServiceError {
  return new ServiceError('payload_too_large', `Send a body with at most ${most} ${things}.`)
}
