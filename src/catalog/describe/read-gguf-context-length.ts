import { open } from 'node:fs/promises'
import { HeaderReader } from '../header-reader.ts'

/** A vocabulary of a quarter of a million words with its merges takes about 20 MB; the length usually stands before it. */
const longestHeader = 64 * 1024 * 1024
const [uint32, int32, string, array, uint64, int64] = [4, 5, 8, 9, 10, 11]
/** Bytes of the value types of fixed size, by their number. */
const fixedBytes: Readonly<Record<number, number>> = { 0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8 }

/**
 * Tokens that a GGUF file says its model was trained for: its key `<architecture>.context_length`.
 *
 * @returns null where the file does not say so or is no GGUF file of version 2 or 3; the runtime tells what is wrong with it.
 * @see https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
 */
export async function readGgufContextLength(path: string): Promise<number | null> {
  await using file = await open(path)
  try {
    return await findContextLength(new HeaderReader(file, longestHeader))
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}

async function findContextLength(header: HeaderReader): Promise<number | null> {
  if ((await header.readText(4)) !== 'GGUF') return null
  const version = await header.readUnsigned(4)
  if (version !== 2 && version !== 3) return null
  header.skip(8)
  const keys = await header.readUnsigned(8)
  let architecture: string | null = null
  const lengths = new Map<string, number>()
  for (let index = 0; index < keys; index++) {
    const key = await header.readText(await header.readUnsigned(8))
    const type = await header.readUnsigned(4)
    if (key === 'general.architecture' && type === string) architecture = await header.readText(await header.readUnsigned(8))
    else if (key.endsWith('.context_length') && isWhole(type)) lengths.set(key, await header.readUnsigned(fixedBytes[type] === 8 ? 8 : 4))
    else await skipValue(header, type)
    const found = architecture === null ? undefined : lengths.get(`${architecture}.context_length`)
    if (found !== undefined) return found > 0 ? found : null
  }
  return null
}

function isWhole(type: number): boolean {
  return type === uint32 || type === int32 || type === uint64 || type === int64
}

async function skipValue(header: HeaderReader, type: number): Promise<void> {
  if (type === string) return header.skip(await header.readUnsigned(8))
  if (type !== array) return header.skip(bytesOf(type))
  const itemType = await header.readUnsigned(4)
  const items = await header.readUnsigned(8)
  if (itemType !== string) return header.skip(items * bytesOf(itemType))
  for (let item = 0; item < items; item++) header.skip(await header.readUnsigned(8))
}

/** @throws {RangeError} for a type without a fixed size: lists of lists, which no runtime reads, and numbers that mean no type. */
function bytesOf(type: number): number {
  const bytes = fixedBytes[type]
  if (bytes === undefined) throw new RangeError(`There is no value type ${type}.`)
  return bytes
}
