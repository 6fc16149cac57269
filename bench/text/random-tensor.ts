/** ggml's number of a type, values per block and bytes per block. */
export const tensorTypes = {
  f32: { id: 0, values: 1, bytes: 4 },
  f16: { id: 1, values: 1, bytes: 2 },
  q4_0: { id: 2, values: 32, bytes: 18 },
  q8_0: { id: 8, values: 32, bytes: 34 },
} as const

export type TensorType = keyof typeof tensorTypes

export interface Tensor {
  /** Fastest dimension first. */
  readonly shape: readonly number[]
  readonly type: number
  readonly data: Buffer
}

let state = 1

/** Small random weights; a norm's are all one. */
export function randomTensor(shape: readonly number[], typeName: TensorType): Tensor {
  const { id, values, bytes } = tensorTypes[typeName]
  const blocks = shape.reduce((product, size) => product * size, 1) / values
  const data = Buffer.alloc(blocks * bytes)
  if (typeName === 'f32') new Float32Array(data.buffer, data.byteOffset, blocks).fill(1)
  else for (let offset = 0; offset < data.length; offset += 4) data.writeUInt32LE(random(), Math.min(offset, data.length - 4))
  if (typeName === 'f16') for (let offset = 1; offset < data.length; offset += 2) data[offset] = ((data[offset] ?? 0) & 0x83) | 0x20
  if (values === 32)
    for (let offset = 0; offset < data.length; offset += bytes) data.writeUInt16LE(typeName === 'q8_0' ? 0x0a00 : 0x1c00, offset)
  return { shape, type: id, data }
}

/** Marsaglia's xorshift. */
function random(): number {
  state ^= state << 13
  state ^= state >>> 17
  state ^= state << 5
  return state >>> 0
}
