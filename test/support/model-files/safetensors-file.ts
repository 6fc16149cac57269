/** A float32 tensor of a file. */
export interface NamedTensor {
  readonly name: string
  readonly shape: readonly number[]
  readonly values: Float32Array
}

/** The bytes of a safetensors file. */
export function safetensorsFile(tensors: readonly NamedTensor[]): Uint8Array {
  let at = 0
  const entries = tensors.map(({ name, shape, values }) => {
    at += values.byteLength
    return [name, { dtype: 'F32', shape, data_offsets: [at - values.byteLength, at] }] as const
  })
  const json = Buffer.from(JSON.stringify(Object.fromEntries(entries)))
  const start = Buffer.alloc(8)
  start.writeBigUInt64LE(BigInt(json.length))
  return Buffer.concat([start, json, ...tensors.map(({ values }) => new Uint8Array(values.buffer, values.byteOffset, values.byteLength))])
}
