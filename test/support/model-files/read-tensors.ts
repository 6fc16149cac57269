import { ggmlTypes } from '../../../src/core/gguf/ggml-types.ts'
import { align, type GgufTensor, readGgufHeader } from './gguf-file.ts'

/** The tensors of a GGUF file. */
export function readGgufTensors(file: Buffer): readonly GgufTensor[] {
  const last = readGgufHeader(file).at(-1)?.[1]
  let offset = last === undefined ? 24 : last.byteOffset - file.byteOffset + last.length
  const listed = Array.from({ length: Number(file.readBigUInt64LE(8)) }, () => {
    const nameEnd = offset + 8 + Number(file.readBigUInt64LE(offset))
    const dimensions = file.readUInt32LE(nameEnd)
    const shape = Array.from({ length: dimensions }, (_, index) => Number(file.readBigUInt64LE(nameEnd + 4 + 8 * index)))
    const end = nameEnd + 4 + 8 * dimensions
    const name = file.toString('utf8', offset + 8, nameEnd)
    offset = end + 12
    return { name, shape, type: file.readUInt32LE(end), at: Number(file.readBigUInt64LE(end + 4)) }
  })
  const start = align(offset)
  return listed.map(({ at, ...tensor }) => ({ ...tensor, data: file.subarray(start + at, start + at + tensorBytes(tensor)) }))
}

function tensorBytes({ shape, type }: Omit<GgufTensor, 'data'>): number {
  const known = ggmlTypes.get(type)
  if (known === undefined) throw new Error(`Tensors of type ${type} are not known here.`)
  return (shape.reduce((product, size) => product * size, 1) / known.block) * known.bytes
}
