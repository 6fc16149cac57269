import { type GgufTensor, readGgufHeader, writeGguf } from './gguf-file.ts'
import { readGgufTensors } from './read-tensors.ts'

const [float32, blockNumbers, blockBytes] = [0, 32, 34] as const

/** Ways to store weights, by ggml's names. */
export const codings = {
  F16: { type: 1, encode: toHalves, decode: (data: Buffer) => Float32Array.from(new Float16Array(copy(data))) },
  BF16: {
    type: 30,
    encode: (numbers: Float32Array) => Buffer.from(Uint16Array.from(new Uint32Array(numbers.buffer), (bits) => bits >>> 16).buffer),
    decode: (data: Buffer) => new Float32Array(Uint32Array.from(new Uint16Array(copy(data)), (bits) => bits << 16).buffer),
  },
  Q8_0: { type: 8, encode: toBlocks, decode: fromBlocks },
} as const

export type Coding = keyof typeof codings

/**
 * A GGUF file of float32 whose matrices are stored in another way, as converters do it, and the file of float32 that holds the same numbers.
 * Where rows are no multiple of a block, they stay as they are.
 */
export function recodeWeights(file: Buffer, coding: Coding): { readonly recoded: Buffer; readonly same: Buffer } {
  const { type, encode, decode } = codings[coding]
  const fits = ({ shape }: GgufTensor) => shape.length > 1 && (coding !== 'Q8_0' || (shape[0] ?? 0) % blockNumbers === 0)
  const recoded = readGgufTensors(file).map((tensor) =>
    fits(tensor) ? { ...tensor, type, data: encode(new Float32Array(copy(tensor.data))) } : tensor,
  )
  const same = recoded.map((tensor) =>
    tensor.type === type ? { ...tensor, type: float32, data: Buffer.from(decode(tensor.data).buffer) } : tensor,
  )
  const header = readGgufHeader(file)
  return { recoded: writeGguf(header, recoded), same: writeGguf(header, same) }
}

/** Bytes that begin where typed arrays may. */
function copy(data: Buffer): ArrayBuffer {
  return new Uint8Array(data).buffer
}

function toHalves(numbers: Float32Array): Buffer {
  return Buffer.from(Float16Array.from(numbers).buffer)
}

function toBlocks(numbers: Float32Array): Buffer {
  const blocks = Buffer.alloc((numbers.length / blockNumbers) * blockBytes)
  for (let block = 0; block < numbers.length / blockNumbers; block++) {
    const part = numbers.subarray(block * blockNumbers, (block + 1) * blockNumbers)
    const scale = part.reduce((most, number) => Math.max(most, Math.abs(number)), 0) / 127
    toHalves(Float32Array.of(scale)).copy(blocks, block * blockBytes)
    for (const [at, number] of part.entries()) blocks.writeInt8(scale === 0 ? 0 : Math.round(number / scale), block * blockBytes + 2 + at)
  }
  return blocks
}

function fromBlocks(blocks: Buffer): Float32Array {
  return Float32Array.from({ length: (blocks.length / blockBytes) * blockNumbers }, (_, at) => {
    const start = Math.floor(at / blockNumbers) * blockBytes
    const [scale = 0] = new Float16Array(copy(blocks.subarray(start, start + 2)))
    return scale * blocks.readInt8(start + 2 + (at % blockNumbers))
  })
}
