import { isRecord } from '../../core/json-value.ts'
import type { SchemaNode } from '../../core/schema/describe-schema.ts'
import { findFaults } from '../../core/schema/find-faults.ts'
import { isWebAddress } from './servers.ts'

/** A non-blank text of at most 1000 characters. */
export function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '' && value.length <= 1000
}

/** Schemas of fields in `model.json`. */
export const flag: SchemaNode = { type: 'boolean' }
export const text: SchemaNode = { words: 'a text', accepts: isText }

/** A number within bounds. */
export function number(minimum: number, maximum: number): SchemaNode {
  return { type: 'number', minimum, maximum }
}

/** A number over one bound and up to another. */
export function over(exclusiveMinimum: number, maximum: number): SchemaNode {
  return { type: 'number', exclusiveMinimum, maximum }
}

/** An integer within bounds. */
export function whole(minimum: number, maximum: number): SchemaNode {
  return { type: 'integer', minimum, maximum }
}

/** One of the given texts. */
export function oneOf(choices: readonly string[]): SchemaNode {
  return { enum: choices }
}

/** A duration in seconds. */
export const seconds: SchemaNode = number(0.1, 86_400)

/** Alternative names of a model. */
export const aliases: SchemaNode = {
  words: 'a list of up to 32 names of 1 to 128 characters without spaces',
  accepts: (value) => Array.isArray(value) && value.length <= 32 && value.every((name) => isText(name) && /^\S{1,128}$/.test(name)),
}

/** Side of a picture. */
export const pixels: SchemaNode = { ...whole(64, 4096), multipleOf: 8 }

/** A model's id. */
export const id: SchemaNode = {
  words: '1 to 128 lower-case letters, digits, ".", "_", "-" or "/", beginning and ending with a letter or digit',
  accepts: (value) => isText(value) && /^[a-z0-9](?:[a-z0-9._:/-]{0,126}[a-z0-9])?$/.test(value),
}

/** Whether a path stays inside its folder on every platform. */
export function isInnerPath(value: unknown): boolean {
  return isText(value) && !/^\/|[\\:\0]/.test(value) && !value.split('/').some((part) => part === '' || part === '.' || part === '..')
}

export const innerPath: SchemaNode = { words: 'a path inside the folder, with "/"', accepts: isInnerPath }

export const webAddress: SchemaNode = {
  words: 'an address that begins with http:// or https://, without "?" or "#"',
  accepts: isWebAddress,
}

/** URLs of additional servers, optionally with their share. */
export const replicas: SchemaNode = {
  words: 'a list of up to 64 addresses, or of objects with "url" and "weight" (an integer from 1 to 100)',
  accepts: fits({
    type: 'array',
    maxItems: 64,
    items: {
      anyOf: [
        webAddress,
        { type: 'object', properties: { url: webAddress, weight: { anyOf: [whole(1, 100), { type: 'null' }] } }, required: ['url'] },
      ],
    },
  }),
}

const fileEntry: SchemaNode = {
  type: 'object',
  properties: { bytes: whole(0, Number.MAX_SAFE_INTEGER), sha256: { type: 'string', pattern: '^[0-9a-f]{64}$' } },
  required: ['bytes', 'sha256'],
}

/** Files of a model with sizes and checksums. */
export const fileRecord: SchemaNode = {
  words: 'an object of paths inside the folder, each with "bytes" (an integer) and "sha256" (64 lower-case hexadecimal digits)',
  accepts: (value) => isRecord(value) && Object.keys(value).length > 0 && Object.entries(value).every(isFile),
}

function isFile([path, entry]: readonly [string, unknown]): boolean {
  return isInnerPath(path) && fits(fileEntry)(entry)
}

/** Sizes of pictures: bounds, or a list. */
export const sizes: SchemaNode = {
  words: '{"min", "max"} or a list of {"width", "height"}, all multiples of 8 from 64 to 4096',
  accepts: (value) =>
    Array.isArray(value)
      ? fits({ type: 'array', minItems: 1, items: record({ width: pixels, height: pixels }) })(value)
      : fits(record({ min: pixels, max: pixels }))(value) && isRecord(value) && Number(value.min) <= Number(value.max),
}

function record(properties: Readonly<Record<string, SchemaNode>>): SchemaNode {
  return { type: 'object', properties, required: Object.keys(properties) }
}

function fits(schema: SchemaNode): (value: unknown) => boolean {
  return (value) => findFaults(schema, value).length === 0
}
