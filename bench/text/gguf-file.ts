import type { Tensor } from './random-tensor.ts'

/** Bytes of GGUF value types of fixed size, by their number. */
const fixedSizes: Readonly<Record<number, number>> = { 0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8 }
const [uint32, string, array] = [4, 8, 9]
const alignment = 32

/** A key and the bytes of its type and value. */
export type GgufEntry = readonly [key: string, value: Buffer]

/** The metadata of a GGUF file, values left as they are. */
export function readGgufHeader(file: Buffer): readonly GgufEntry[] {
  const count = Number(file.readBigUInt64LE(16))
  const entries: GgufEntry[] = []
  let offset = 24
  for (let index = 0; index < count; index++) {
    const keyEnd = offset + 8 + Number(file.readBigUInt64LE(offset))
    const end = skipValue(file, keyEnd + 4, file.readUInt32LE(keyEnd))
    entries.push([file.toString('utf8', offset + 8, keyEnd), file.subarray(keyEnd, end)])
    offset = end
  }
  return entries
}

function skipValue(file: Buffer, offset: number, type: number): number {
  if (type === string) return offset + 8 + Number(file.readBigUInt64LE(offset))
  if (type !== array) return offset + (fixedSizes[type] ?? Number.NaN)
  const itemType = file.readUInt32LE(offset)
  const items = Number(file.readBigUInt64LE(offset + 4))
  let end = offset + 12
  for (let item = 0; item < items; item++) end = skipValue(file, end, itemType)
  return end
}

/** A GGUF file with some whole numbers of the metadata replaced. */
export function writeGguf(
  header: readonly GgufEntry[],
  tensors: readonly (Tensor & { readonly name: string })[],
  changes: Readonly<Record<string, number>>,
): Buffer {
  const parts = [Buffer.from('GGUF'), u32(3), u64(tensors.length), u64(header.length)]
  for (const [key, value] of header) {
    const changed = changes[key]
    parts.push(text(key), changed === undefined ? value : Buffer.concat([u32(uint32), u32(changed)]))
  }
  let offset = 0
  for (const { name, shape, type, data } of tensors) {
    parts.push(text(name), u32(shape.length), ...shape.map(u64), u32(type), u64(offset))
    offset += align(data.length)
  }
  const length = parts.reduce((sum, part) => sum + part.length, 0)
  parts.push(Buffer.alloc(align(length) - length))
  for (const { data } of tensors) parts.push(data, Buffer.alloc(align(data.length) - data.length))
  return Buffer.concat(parts)
}

function align(length: number): number {
  return Math.ceil(length / alignment) * alignment
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}

function u64(value: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64LE(BigInt(value))
  return bytes
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value)
  return Buffer.concat([u64(bytes.length), bytes])
}
