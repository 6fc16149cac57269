import { Tensor } from 'onnxruntime-node'

export type NumericValues = Float32Array | Int32Array | readonly number[]

export interface NumericTensor {
  readonly values: Float32Array
  readonly dims: readonly number[]
}

/** Makes a tensor of a model's element type; float32 values are passed without a copy. */
export function toTensor(type: string, values: NumericValues, dims: readonly number[]): Tensor {
  switch (type) {
    case 'float32':
      return new Tensor('float32', values instanceof Float32Array ? values : Float32Array.from(values), dims)
    case 'float16':
      return halfTensor(values, dims)
    case 'float64':
      return new Tensor('float64', Float64Array.from(values), dims)
    case 'int64':
      return new Tensor('int64', BigInt64Array.from(Array.from(values, (value) => BigInt(Math.round(value)))), dims)
    case 'int32':
      return new Tensor('int32', Int32Array.from(values, Math.round), dims)
    default:
      throw new Error(`elements of type ${type} are not supported`)
  }
}

/** The values as float32; a view where they already are. */
export function fromTensor(tensor: Tensor): NumericTensor {
  const { data, dims } = tensor
  if (data instanceof Float32Array) return { values: data, dims }
  if (data instanceof Float16Array || data instanceof Float64Array) return { values: Float32Array.from(data), dims }
  if (data instanceof Uint16Array && tensor.type === 'float16')
    return { values: Float32Array.from(new Float16Array(data.buffer, data.byteOffset, data.length)), dims }
  if (data instanceof Uint8Array) return { values: Float32Array.from(data), dims }
  if (data instanceof Int32Array) return { values: Float32Array.from(data), dims }
  if (data instanceof BigInt64Array) return { values: Float32Array.from(data, Number), dims }
  throw new Error(`elements of type ${tensor.type} are not supported`)
}

/**
 * A half-precision tensor. The runtime's binding reads a Float16Array as empty where Node has that class
 * (microsoft/onnxruntime#32323), so the tensor shows it the same bits as whole numbers.
 */
function halfTensor(values: NumericValues, dims: readonly number[]): Tensor {
  const halves = Float16Array.from(values)
  const bits = new Uint16Array(halves.buffer)
  return Object.defineProperty(new Tensor('float16', bits, dims), 'data', { value: bits })
}
