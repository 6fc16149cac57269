import { encodeOnnxModel, onnxTypes } from '../../../src/runtimes/diffusion/checkpoint/graph/onnx-messages.ts'

/**
 * A VAE decoder in half precision whose numbers leave its range on the way: three channels of the latents, each pixel eight times as
 * wide and high, times `factor` and divided by it again.
 *
 * @param factor Latents beyond 32 752 ÷ `factor` overflow.
 */
export function overflowingDecoder(factor = 60_000): Uint8Array {
  const half = (name: string, values: readonly number[]) => {
    return { name, type: 'float16', shape: [values.length], data: new Uint8Array(Float16Array.from(values).buffer) } as const
  }
  const whole = (name: string, value: number) => {
    return { name, type: 'int64', shape: [1], data: new Uint8Array(BigInt64Array.of(BigInt(value)).buffer) } as const
  }
  const scales = { name: 'scales', type: 'float32', shape: [4], data: new Uint8Array(Float32Array.of(1, 1, 8, 8).buffer) } as const
  const node = (type: string, inputs: readonly string[], output: string, attributes = {}) => ({
    type,
    inputs,
    outputs: [output],
    attributes,
  })
  return encodeOnnxModel({
    nodes: [
      node('Cast', ['latent_sample'], 'half', { to: onnxTypes.float16 }),
      node('Mul', ['half', 'large'], 'beyond'),
      node('Add', ['beyond', 'beyond'], 'further'),
      // The processor sums in single precision, but puts together in half.
      node('Concat', ['further', 'further'], 'both', { axis: 1 }),
      node('Slice', ['both', 'start', 'end', 'axis'], 'colours'),
      node('Div', ['colours', 'twice'], 'back'),
      node('Cast', ['back'], 'single', { to: onnxTypes.float32 }),
      node('Resize', ['single', '', 'scales'], 'sample', { mode: 'nearest' }),
    ],
    initializers: [half('large', [factor]), half('twice', [factor]), whole('start', 0), whole('end', 3), whole('axis', 1), scales],
    inputs: [{ name: 'latent_sample', type: 'float32', shape: ['batch', 4, 'height', 'width'] }],
    outputs: [{ name: 'sample', type: 'float32', shape: ['batch', 3, 'tall', 'wide'] }],
  })
}
