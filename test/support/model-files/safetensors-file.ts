import { readFile } from 'node:fs/promises'
import { readSafetensorsHeader } from '../../../src/core/checkpoint/safetensors-header.ts'

/** A float32 tensor of a file. */
export interface NamedTensor {
  readonly name: string
  readonly shape: readonly number[]
  readonly values: Float32Array
}

/** A tensor of a file as it is stored. */
export interface StoredTensor {
  readonly name: string
  readonly shape: readonly number[]
  readonly dtype: string
  readonly bytes: Uint8Array
}

/** The bytes of a safetensors file. */
export function safetensorsFile(tensors: readonly NamedTensor[]): Uint8Array {
  return storedFile(
    tensors.map(({ name, shape, values }) => {
      return { name, shape, dtype: 'F32', bytes: new Uint8Array(values.buffer, values.byteOffset, values.byteLength) }
    }),
  )
}

/** The same of tensors of any type. */
export function storedFile(tensors: readonly StoredTensor[]): Uint8Array {
  let at = 0
  const entries = tensors.map(({ name, shape, dtype, bytes }) => {
    at += bytes.length
    return [name, { dtype, shape, data_offsets: [at - bytes.length, at] }] as const
  })
  const json = Buffer.from(JSON.stringify(Object.fromEntries(entries)))
  const start = Buffer.alloc(8)
  start.writeBigUInt64LE(BigInt(json.length))
  return Buffer.concat([start, json, ...tensors.map(({ bytes }) => bytes)])
}

/** The tensors of a safetensors file. */
export async function readStoredTensors(path: string): Promise<readonly StoredTensor[]> {
  const file = await readFile(path)
  const read = async (offset: number, bytes: number) => file.subarray(offset, offset + bytes)
  return [...(await readSafetensorsHeader(read, file.length)).tensors].map(([name, { shape, offset, bytes, type }]) => {
    return { name, shape, dtype: type, bytes: file.subarray(offset, offset + bytes) }
  })
}
