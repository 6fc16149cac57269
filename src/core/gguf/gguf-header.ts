import { findTensorFault, type GgufTensor, weightBytes } from './gguf-tensors.ts'
import { HeaderReader, type ReadAt } from './header-reader.ts'

/** The parsed header of a GGUF file. */
export interface GgufHeader {
  /** Metadata by key: texts, numbers and flags, short lists, and requested long lists. */
  readonly values: ReadonlyMap<string, GgufValue>
  /** Of every key whether its value is a float32, which a number in `values` does not show. */
  readonly valueTypes: ReadonlyMap<string, 'float32' | 'other'>
  readonly tensors: readonly GgufTensor[]
  /** Bytes from the start of the file to the weights. */
  readonly weightsStart: number
  /** Minimum size of the file: the end of its last tensor. A tensor of unknown type counts only up to its start. */
  readonly promisedBytes: number
}

export type GgufValue = string | number | boolean | readonly number[] | readonly string[]

/** Longest accepted header: a vocabulary of 250 000 words with its merges takes about 20 MB. */
const longestHeader = 128 * 1024 * 1024
const maxKeys = 65_536
/** Maximum number of tensors: mixtures of experts with separate tensors have some 30 000. */
const maxTensors = 65_536
/** Longer lists are vocabularies and similar; models have fewer layers. */
const longestList = 1024
/** Shorter lists of floats are settings, such as mean colours; longer ones are tables. */
const shortestTable = 16
/** ggml's own limit. */
const maxDimensions = 4
const usualAlignment = 32

const [float32, bool, string, array] = [6, 7, 8, 9]
/** Sizes of fixed-size value types, by number. */
const fixedBytes: Readonly<Record<number, 1 | 2 | 4 | 8>> = { 0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8 }
/** The integer types; negative values are never used. */
const whole: readonly number[] = [0, 1, 2, 3, 4, 5, 10, 11]

/**
 * Reads the metadata and the table of tensors of a GGUF file of version 2 or 3; the weights are not read.
 *
 * @param options.lists Keys whose lists are kept whatever their length; each byte of their texts becomes one character.
 * @returns The header, or the fault of an invalid file, completing a sentence about it.
 * @see https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
 */
export async function readGgufHeader(
  read: ReadAt,
  { lists = [] }: { readonly lists?: readonly string[] } = {},
): Promise<GgufHeader | { readonly fault: string }> {
  try {
    return await readAll(new HeaderReader(read, longestHeader), lists)
  } catch (error) {
    if (error instanceof RangeError) return { fault: 'has a damaged header' }
    throw error
  }
}

async function readAll(header: HeaderReader, lists: readonly string[]): Promise<GgufHeader | { readonly fault: string }> {
  if ((await header.readText(4)) !== 'GGUF') return { fault: 'is not a GGUF file' }
  const version = await header.readUnsigned(4)
  // Byte-swapped, a version this small has no bits in its lower half.
  if (version !== 0 && version % 0x1_0000 === 0) return { fault: 'is a big-endian GGUF file; use a little-endian one' }
  if (version !== 2 && version !== 3) return { fault: `is of GGUF version ${version} instead of 2 or 3` }
  const tensorCount = await header.readUnsigned(8)
  const keyCount = await header.readUnsigned(8)
  if (tensorCount > maxTensors || keyCount > maxKeys) return { fault: 'has a damaged header' }
  const values = new Map<string, GgufValue>()
  const valueTypes = new Map<string, 'float32' | 'other'>()
  for (let index = 0; index < keyCount; index++) {
    const key = await readString(header)
    const type = await header.readUnsigned(4)
    valueTypes.set(key, type === float32 ? 'float32' : 'other')
    const value = await readValue(header, type, lists.includes(key))
    if (value !== null) values.set(key, value)
  }
  const tensors: GgufTensor[] = []
  for (let index = 0; index < tensorCount; index++) tensors.push(await readTensor(header))
  const alignment = valueTypes.has('general.alignment') ? values.get('general.alignment') : usualAlignment
  if (!isPowerOfTwo(alignment)) return { fault: 'has a `general.alignment` that is not a power of two' }
  const fault = findTensorFault(tensors, alignment)
  if (fault !== null) return { fault }
  const weightsStart = Math.ceil(header.position / alignment) * alignment
  return {
    values,
    valueTypes,
    tensors,
    weightsStart,
    promisedBytes: tensors.length === 0 ? header.position : countPromised(tensors, weightsStart),
  }
}

function isPowerOfTwo(value: GgufValue | undefined): value is number {
  return typeof value === 'number' && value >= 1 && Number.isInteger(Math.log2(value))
}

function countPromised(tensors: readonly GgufTensor[], start: number): number {
  return tensors.reduce((longest, tensor) => Math.max(longest, start + tensor.offset + weightBytes(tensor)), start)
}

async function readTensor(header: HeaderReader): Promise<GgufTensor> {
  const name = await readString(header)
  const dimensions = await header.readUnsigned(4)
  if (dimensions > maxDimensions) throw new RangeError(`A tensor has ${dimensions} dimensions.`)
  const shape: number[] = []
  for (let index = 0; index < dimensions; index++) shape.push(await header.readUnsigned(8))
  const type = await header.readUnsigned(4)
  return { name, shape, type, offset: await header.readUnsigned(8) }
}

/** null for skipped values: long texts, long lists, and numbers that no model header needs. */
async function readValue(header: HeaderReader, type: number, isKept: boolean): Promise<GgufValue | null> {
  if (type === string) return readShortText(header)
  if (type === float32) return header.readFloat32()
  if (type === bool) return (await header.readUnsigned(1)) !== 0
  if (whole.includes(type)) return header.readUnsigned(bytesOf(type))
  if (type !== array) {
    header.skip(bytesOf(type))
    return null
  }
  const itemType = await header.readUnsigned(4)
  const items = await header.readUnsigned(8)
  if (whole.includes(itemType) && (isKept || items <= longestList)) return header.readUnsignedList(items, bytesOf(itemType))
  if (itemType === float32 && items <= shortestTable) return readFloats(header, items)
  if (itemType === string && isKept) return header.readByteTexts(items)
  if (itemType === string) await header.skipTexts(items)
  else header.skip(items * bytesOf(itemType))
  return null
}

async function readFloats(header: HeaderReader, count: number): Promise<readonly number[]> {
  const values: number[] = []
  for (let index = 0; index < count; index++) values.push(await header.readFloat32())
  return values
}

async function readString(header: HeaderReader): Promise<string> {
  return header.readText(await header.readUnsigned(8))
}

/** Chat templates may be long; only their presence matters. */
async function readShortText(header: HeaderReader): Promise<string> {
  const bytes = await header.readUnsigned(8)
  if (bytes <= longestList) return header.readText(bytes)
  header.skip(bytes)
  return ''
}

/** @throws {RangeError} for types without a fixed size: nested lists, which no runtime reads, and unknown types. */
function bytesOf(type: number): 1 | 2 | 4 | 8 {
  const bytes = fixedBytes[type]
  if (bytes === undefined) throw new RangeError(`There is no value type ${type}.`)
  return bytes
}
