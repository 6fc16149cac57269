/** Bytes of GGUF value types of fixed size, by their number. */
const fixedSizes: Readonly<Record<number, number>> = { 0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8 }
const [uint32, int32, float32, bool, string, array] = [4, 5, 6, 7, 8, 9]
const alignment = 32

/** A named array of numbers of one ggml type. */
export interface GgufTensor {
  readonly name: string
  /** Fastest dimension first. */
  readonly shape: readonly number[]
  /** ggml's number of the type; 0 = float32. */
  readonly type: number
  readonly data: Buffer
}

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

/** The tensors of a GGUF file whose types are float32 or Q8_0. */
export function readGgufTensors(file: Buffer): readonly GgufTensor[] {
  const lastValue = readGgufHeader(file).at(-1)?.[1] ?? Buffer.alloc(0)
  let offset = lastValue.byteOffset - file.byteOffset + lastValue.length
  const infos = Array.from({ length: Number(file.readBigUInt64LE(8)) }, () => {
    const nameEnd = offset + 8 + Number(file.readBigUInt64LE(offset))
    const name = file.toString('utf8', offset + 8, nameEnd)
    const dimensions = file.readUInt32LE(nameEnd)
    const shape = Array.from({ length: dimensions }, (_, axis) => Number(file.readBigUInt64LE(nameEnd + 4 + 8 * axis)))
    const end = nameEnd + 4 + 8 * dimensions
    offset = end + 12
    return { name, shape, type: file.readUInt32LE(end), start: Number(file.readBigUInt64LE(end + 4)) }
  })
  const begin = align(offset)
  return infos.map(({ start, ...info }) => {
    const numbers = info.shape.reduce((product, size) => product * size, 1)
    const bytes = info.type === 0 ? 4 * numbers : (numbers / 32) * 34
    return { ...info, data: file.subarray(begin + start, begin + start + bytes) }
  })
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

/** The bytes of an entry's type and value: a whole number, text, a switch, or a list of texts or whole numbers. */
export function ggufValue(value: number | string | boolean | readonly string[] | readonly number[]): Buffer {
  if (typeof value === 'number') return Buffer.concat([u32(uint32), u32(value)])
  if (typeof value === 'boolean') return Buffer.concat([u32(bool), Buffer.of(value ? 1 : 0)])
  if (typeof value === 'string') return Buffer.concat([u32(string), text(value)])
  const items = value.map((item) => (typeof item === 'string' ? text(item) : u32(item)))
  return Buffer.concat([u32(array), u32(typeof value[0] === 'string' ? string : int32), u64(items.length), ...items])
}

/** The bytes of a float32 entry. */
export function ggufFloat(value: number): Buffer {
  return Buffer.concat([u32(float32), Buffer.from(Float32Array.of(value).buffer)])
}

/** The bytes of a list of float32. */
export function ggufFloats(values: readonly number[]): Buffer {
  return Buffer.concat([u32(array), u32(float32), u64(values.length), Buffer.from(Float32Array.from(values).buffer)])
}

/** Reads back a list of texts that `readGgufHeader` left as bytes. */
export function readTexts(value: Buffer): readonly string[] {
  const texts: string[] = []
  for (let offset = 16; offset < value.length; offset += 8 + Number(value.readBigUInt64LE(offset)))
    texts.push(value.toString('utf8', offset + 8, offset + 8 + Number(value.readBigUInt64LE(offset))))
  return texts
}

/** Reads back a list of whole numbers of 32 bits. */
export function readNumbers(value: Buffer): readonly number[] {
  return Array.from({ length: Number(value.readBigUInt64LE(8)) }, (_, index) => value.readInt32LE(16 + 4 * index))
}

export function writeGguf(header: readonly GgufEntry[], tensors: readonly GgufTensor[]): Buffer {
  const parts = [
    writeGgufHead(
      header,
      tensors.map(({ data, ...tensor }) => ({ ...tensor, bytes: data.length })),
    ),
  ]
  for (const { data } of tensors) parts.push(data, Buffer.alloc(align(data.length) - data.length))
  return Buffer.concat(parts)
}

/** The header before the bytes of the tensors, each of which starts at a multiple of `align`. */
export function writeGgufHead(
  header: readonly GgufEntry[],
  tensors: readonly (Omit<GgufTensor, 'data'> & { readonly bytes: number })[],
): Buffer {
  const parts = [Buffer.from('GGUF'), u32(3), u64(tensors.length), u64(header.length)]
  for (const [key, value] of header) parts.push(text(key), value)
  let offset = 0
  for (const { name, shape, type, bytes } of tensors) {
    parts.push(text(name), u32(shape.length), ...shape.map(u64), u32(type), u64(offset))
    offset += align(bytes)
  }
  const length = parts.reduce((sum, part) => sum + part.length, 0)
  parts.push(Buffer.alloc(align(length) - length))
  return Buffer.concat(parts)
}

/** The next multiple of what tensors are aligned to. */
export function align(length: number): number {
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
