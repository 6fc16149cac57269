import { open } from 'node:fs/promises'
import type { TensorPlace } from '../../../../core/checkpoint/safetensors-header.ts'
import type { Abortable } from '../../../../core/waiting.ts'
import { unusableModel } from '../../onnx/model-file.ts'
import type { WeightFile } from './weight-table.ts'

/** Reads some tensors of a file into memory, as single precision. */
export async function readTensors(
  file: Pick<WeightFile, 'path' | 'name' | 'tensors'>,
  names: readonly string[],
  { signal }: Abortable,
): Promise<ReadonlyMap<string, Float32Array>> {
  await using handle = await open(file.path, 'r')
  const read = new Map<string, Float32Array>()
  for (const name of names) {
    signal.throwIfAborted()
    const place = file.tensors.get(name)
    if (place === undefined) throw unusableModel(file.name, `lacks the tensor "${name}"`)
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(place.bytes), 0, place.bytes, place.offset)
    if (bytesRead !== place.bytes) throw unusableModel(file.name, 'was cut short since its header was read')
    read.set(
      name,
      toSingle(buffer, place, () => unusableModel(file.name, `has a tensor "${name}" of type ${place.type}, which holds no weights`)),
    )
  }
  return read
}

/** Larger numbers are no adapter's, and become infinite when they are multiplied. */
const largest = 1e9

/** What is wrong with the numbers of an adapter, as the end of a sentence about its file; null = nothing. */
export function findUnsound(tensors: ReadonlyMap<string, Float32Array>): string | null {
  for (const [name, values] of tensors) if (!areSound(values)) return `holds NaN, infinity or a number over ${largest} in "${name}"`
  return null
}

function areSound(values: Float32Array): boolean {
  for (const value of values) if (!(Math.abs(value) <= largest)) return false
  return true
}

function toSingle(bytes: Buffer, { type }: TensorPlace, fault: () => Error): Float32Array {
  const { buffer, byteOffset, length } = bytes
  const own = buffer.slice(byteOffset, byteOffset + length)
  switch (type) {
    case 'F32':
      return new Float32Array(own)
    case 'F16':
      return Float32Array.from(new Float16Array(own))
    case 'F64':
      return Float32Array.from(new Float64Array(own))
    case 'I64':
      return Float32Array.from(new BigInt64Array(own), Number)
    case 'BF16': {
      // The upper half of single precision.
      const halves = new Uint16Array(own)
      return new Float32Array(Uint32Array.from(halves, (half) => half << 16).buffer)
    }
    default:
      throw fault()
  }
}
