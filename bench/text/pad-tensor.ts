import type { GgufTensor } from '../../test/support/model-files/gguf-file.ts'
import { randomTensor, tensorTypes } from './random-tensor.ts'

const { values: blockValues, bytes: blockBytes } = tensorTypes.q8_0

/**
 * A Q8_0 matrix in the corner of a larger one.
 *
 * @param quiet The rest is zero, so that it adds nothing; otherwise it is noise, which must only ever meet zeros.
 */
export function padMatrix(tensor: GgufTensor, shape: readonly number[], { quiet }: { readonly quiet: boolean }): GgufTensor {
  const [oldInputs = 0, oldOutputs = 0] = tensor.shape
  const [inputs = 0, outputs = 0] = shape
  const data = quiet ? Buffer.alloc((inputs / blockValues) * blockBytes * outputs) : randomTensor(shape, 'q8_0').data
  const rowBytes = (oldInputs / blockValues) * blockBytes
  const newRowBytes = (inputs / blockValues) * blockBytes
  for (let row = 0; row < oldOutputs; row++) tensor.data.copy(data, row * newRowBytes, row * rowBytes, (row + 1) * rowBytes)
  return { ...tensor, shape, data }
}

/** A norm's weights for vectors that were padded with zeros: their mean square is smaller, so the weights are, too. */
export function padNorm(tensor: GgufTensor, width: number): GgufTensor {
  const before = tensor.shape[0] ?? 0
  const data = Buffer.alloc(width * 4)
  for (let index = 0; index < before; index++) data.writeFloatLE(tensor.data.readFloatLE(index * 4) * Math.sqrt(before / width), index * 4)
  return { ...tensor, shape: [width], data }
}
