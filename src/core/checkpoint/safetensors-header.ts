import type { BlockType } from '../gguf/ggml-types.ts'
import { isRecord } from '../json-value.ts'
import { type JsonBounds, type JsonShape, measureJson } from '../text/json-shape.ts'

/** Supported element types and their sizes. */
const tensorTypeBytes = {
  F64: 8,
  F32: 4,
  F16: 2,
  BF16: 2,
  F8_E4M3: 1,
  F8_E5M2: 1,
  I64: 8,
  I32: 4,
  I16: 2,
  I8: 1,
  U64: 8,
  U32: 4,
  U16: 2,
  U8: 1,
  BOOL: 1,
} as const

export type TensorType = keyof typeof tensorTypeBytes

/** Storage type of a tensor: an element type, or a block type of GGUF. */
export type StoredType = TensorType | BlockType

/** Position of a tensor in a weights file. */
export interface TensorPlace {
  readonly type: StoredType
  readonly shape: readonly number[]
  /** Bytes from the start of the file. */
  readonly offset: number
  readonly bytes: number
}

/** The parsed header of a safetensors file. */
export interface SafetensorsHeader {
  readonly tensors: ReadonlyMap<string, TensorPlace>
  /** Entries of `__metadata__`. */
  readonly metadata: ReadonlyMap<string, string>
}

/** Thrown for a damaged file; the message completes a sentence that begins with the file's name. */
export class SafetensorsFault extends Error {}

/** Reads bytes of a file; returns fewer at its end. */
export type ReadBytes = (offset: number, bytes: number) => Promise<Uint8Array>

/** Longest accepted header in bytes: SDXL's has 0.3 MB, LoRAs with training notes several MB. */
const longestHeader = 16 * 1024 * 1024
/**
 * Limits of a header's JSON. A tensor is an object of three keys and two lists; the largest quantized models have 20 000 of them. Parsing a
 * header at these bounds takes a tenth of a second.
 */
const headerBounds: JsonBounds = { depth: 8, containers: 100_000, keys: 140_000, keyBytes: 1024, entries: 500_000 }
const maxDimensions = 8
const zipMark = 0x504b0304
const pickleMark = 0x80

/**
 * Reads the header of a safetensors file and checks it against the file's length: types, shapes and sizes agree, tensors neither overlap
 * nor leave gaps, and end where the file ends.
 *
 * @throws {SafetensorsFault} with the reason.
 * @see https://github.com/huggingface/safetensors, "Format"
 */
export async function readSafetensorsHeader(read: ReadBytes, fileBytes: number): Promise<SafetensorsHeader> {
  const start = await read(0, 8)
  if (start.length < 8) throw new SafetensorsFault('is too short to be a safetensors file')
  const view = new DataView(start.buffer, start.byteOffset, 8)
  if (view.getUint32(0) === zipMark || (start[0] === pickleMark && (start[1] ?? 0) <= 5))
    throw new SafetensorsFault('is a pickle, which can run code when it is read; convert it to safetensors')
  const length = view.getBigUint64(0, true)
  if (length > BigInt(fileBytes - 8))
    throw new SafetensorsFault('is cut short or not a safetensors file: its header would be longer than the file')
  if (length > BigInt(longestHeader)) throw new SafetensorsFault(`has a header of ${length} bytes; at most ${longestHeader} are read`)
  const bytes = await read(8, Number(length))
  if (bytes.length !== Number(length)) throw new SafetensorsFault('is cut short within its header')
  return parseSafetensorsHeader(bytes, fileBytes)
}

/**
 * Checks the JSON of a header.
 *
 * @param fileBytes Length of the whole file.
 * @throws {SafetensorsFault} with the reason.
 */
function parseSafetensorsHeader(bytes: Uint8Array, fileBytes: number): SafetensorsHeader {
  const json = parseObject(bytes)
  const begin = 8 + bytes.length
  const tensors = new Map<string, TensorPlace>()
  const metadata = new Map<string, string>()
  for (const [name, entry] of Object.entries(json)) {
    if (!isRecord(entry)) throw new SafetensorsFault(`has no entry for "${shorten(name)}" in its header`)
    if (name === '__metadata__') {
      for (const [key, value] of Object.entries(entry)) if (typeof value === 'string') metadata.set(key, value)
    } else tensors.set(name, readPlace(name, entry, begin))
  }
  checkLayout(tensors, begin, fileBytes)
  return { tensors, metadata }
}

function parseObject(bytes: Uint8Array): Readonly<Record<string, unknown>> {
  const shape = measureJson(bytes, headerBounds)
  refuseShape(shape)
  let value: unknown
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    throw new SafetensorsFault('has a header that is not JSON')
  }
  if (!isRecord(value)) throw new SafetensorsFault('has a header that is not a JSON object')
  // Of two equal names the parser keeps the last, and other programs the first.
  if (countNames(value) !== shape.keys) throw new SafetensorsFault('holds a name twice in an object of its header')
  return value
}

function countNames(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  const inside = Object.values(value).reduce((sum: number, each) => sum + countNames(each), 0)
  return Array.isArray(value) ? inside : inside + Object.keys(value).length
}

function refuseShape({ depth, containers, keys, keyBytes, entries }: JsonShape): void {
  if (depth > headerBounds.depth) throw new SafetensorsFault(`has a header that nests more than ${headerBounds.depth} levels deep`)
  if (keyBytes > headerBounds.keyBytes) throw new SafetensorsFault(`has a name of more than ${headerBounds.keyBytes} bytes in its header`)
  if (keys > headerBounds.keys || containers > headerBounds.containers || entries > headerBounds.entries)
    throw new SafetensorsFault(
      `has too many tensors or notes in its header: at most ${headerBounds.keys} names and ${headerBounds.entries} values are read`,
    )
}

function readPlace(name: string, entry: Readonly<Record<string, unknown>>, begin: number): TensorPlace {
  const fault = (text: string) => new SafetensorsFault(`has a tensor "${shorten(name)}" ${text}`)
  const { dtype, shape, data_offsets: offsets } = entry
  const type = isTensorType(dtype) ? dtype : undefined
  if (type === undefined) throw fault(`of an unknown type ${shorten(JSON.stringify(dtype) ?? 'none')}`)
  if (!isWholeNumbers(shape) || shape.length > maxDimensions) throw fault('without a sound shape')
  if (!isWholeNumbers(offsets) || offsets.length !== 2) throw fault('without two offsets')
  const [from = 0, to = 0] = offsets
  const bytes = shape.reduce((product, size) => product * size, tensorTypeBytes[type])
  if (to - from !== bytes) throw fault(`whose offsets span ${to - from} bytes where its shape needs ${bytes}`)
  return { type, shape, offset: begin + from, bytes }
}

/** Requires tensors to follow each other without gaps and to fill the file, so that none overlap. */
function checkLayout(tensors: ReadonlyMap<string, TensorPlace>, begin: number, fileBytes: number): void {
  const inOrder = [...tensors].toSorted(([, a], [, b]) => a.offset - b.offset || a.bytes - b.bytes)
  let end = begin
  for (const [name, place] of inOrder) {
    if (place.offset < end) throw new SafetensorsFault(`has a tensor "${shorten(name)}" that overlaps another`)
    if (place.offset > end) throw new SafetensorsFault(`has a gap before its tensor "${shorten(name)}"`)
    end = place.offset + place.bytes
  }
  if (end > fileBytes) throw new SafetensorsFault(`is cut short: it has ${fileBytes} bytes where its header promises ${end}`)
  if (end < fileBytes) throw new SafetensorsFault(`has ${fileBytes - end} bytes that its header does not name`)
}

function isTensorType(value: unknown): value is TensorType {
  return typeof value === 'string' && Object.hasOwn(tensorTypeBytes, value)
}

function isWholeNumbers(value: unknown): value is readonly number[] {
  return Array.isArray(value) && value.every((item) => Number.isSafeInteger(item) && item >= 0)
}

/** Names come from the file, and long ones would flood a message. */
function shorten(name: string): string {
  return name.length > 80 ? `${name.slice(0, 80)}…` : name
}
