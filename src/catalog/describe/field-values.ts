import { isRecord } from '../../core/is-record.ts'
import { isWebAddress } from './web-address.ts'

/** A text with something in it, of at most 1000 characters. */
export function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '' && value.length <= 1000
}

/** Takes a number within two bounds. */
export function isNumber(minimum: number, maximum: number): (value: unknown) => boolean {
  return (value) => typeof value === 'number' && value >= minimum && value <= maximum
}

/** Takes a whole number within two bounds, and of one step. */
export function isWhole(minimum: number, maximum: number, multiple = 1): (value: unknown) => boolean {
  return (value) => Number.isInteger(value) && isNumber(minimum, maximum)(value) && Number(value) % multiple === 0
}

/** Takes one of these texts. */
export function isOneOf(choices: readonly string[]): (value: unknown) => boolean {
  return (value) => typeof value === 'string' && choices.includes(value)
}

/** A model's id. */
export function isId(value: unknown): boolean {
  return isText(value) && /^[a-z0-9](?:[a-z0-9._:/-]{0,126}[a-z0-9])?$/.test(value)
}

/** A side of a picture. */
export const isPixels = isWhole(64, 4096, 8)

/** A path that stays inside its folder on every platform. */
export function isInnerPath(value: unknown): boolean {
  return isText(value) && !/^\/|[\\:\0]/.test(value) && !value.split('/').some((part) => part === '' || part === '.' || part === '..')
}

/** Addresses of further servers, some with their share. */
export function isReplicas(value: unknown): boolean {
  if (!Array.isArray(value) || value.length > 64) return false
  return value.every(
    (replica) => isWebAddress(replica) || (isRecord(replica) && isWebAddress(replica.url) && isWhole(1, 100)(replica.weight ?? 1)),
  )
}

/** Files of a model with their sizes and checksums. */
export function isFileRecord(value: unknown): boolean {
  if (!isRecord(value) || Object.keys(value).length === 0) return false
  return Object.entries(value).every(
    ([path, entry]) =>
      isInnerPath(path) &&
      isRecord(entry) &&
      isWhole(0, Number.MAX_SAFE_INTEGER)(entry.bytes) &&
      typeof entry.sha256 === 'string' &&
      /^[0-9a-f]{64}$/.test(entry.sha256),
  )
}

/** Sizes of pictures: two bounds, or a list. */
export function isSizes(value: unknown): boolean {
  if (Array.isArray(value))
    return value.length > 0 && value.every((size) => isRecord(size) && isPixels(size.width) && isPixels(size.height))
  return isRecord(value) && isPixels(value.min) && isPixels(value.max) && Number(value.min) <= Number(value.max)
}
