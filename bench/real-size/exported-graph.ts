import { gpuTarget } from '../../src/runtimes/diffusion/checkpoint/graph/find-graph-target.ts'
import { GraphBuilder, type Value } from '../../src/runtimes/diffusion/checkpoint/graph/graph-builder.ts'
import type { OnnxAttribute } from '../../src/runtimes/diffusion/checkpoint/graph/onnx-messages.ts'
import type { WeightTable } from '../../src/runtimes/diffusion/checkpoint/weights/weight-table.ts'

/** The rival: the same network written as the official export writes it, with constants, transposed weights and attention in single steps. */
export class ExportedGraph extends GraphBuilder {
  constructor(weights: WeightTable) {
    super(weights, gpuTarget)
  }

  override nodes(
    type: string,
    inputs: readonly Value[],
    attributes: Readonly<Record<string, OnnxAttribute>>,
    outputs: number,
  ): readonly Value[] {
    if (type === 'Gemm') return [this.#linear(inputs, attributes)]
    if (type === 'com.microsoft:MultiHeadAttention') return [this.#attention(inputs, Number(attributes.num_heads))]
    if (type === 'Gelu') return [this.#gelu(inputs[0] ?? '')]
    return super.nodes(type, inputs, attributes, outputs)
  }

  #linear([input = '', weight = '', bias]: readonly Value[], { transB }: Readonly<Record<string, OnnxAttribute>>): Value {
    const turned = transB === 1 ? this.node('Transpose', [weight], { perm: [1, 0] }) : weight
    const product = this.node('MatMul', [input, turned])
    return bias === undefined ? product : this.node('Add', [product, bias])
  }

  #attention([query = '', key = '', value = '']: readonly Value[], heads: number): Value {
    const split = (sequence: Value, perm: readonly number[]) => {
      const parted = this.node('Reshape', [sequence, this.integers([0, 0, heads, -1])])
      return this.node('Transpose', [parted], { perm })
    }
    const scores = this.node('MatMul', [split(query, [0, 2, 1, 3]), split(key, [0, 2, 3, 1])])
    // Heads of SDXL are 64 wide.
    const shares = this.node('Softmax', [this.node('Mul', [scores, this.floats([1 / 8], [])])], { axis: -1 })
    const read = this.node('Transpose', [this.node('MatMul', [shares, split(value, [0, 2, 1, 3])])], { perm: [0, 2, 1, 3] })
    return this.node('Reshape', [read, this.integers([0, 0, -1])])
  }

  #gelu(input: Value): Value {
    const error = this.node('Erf', [this.node('Div', [input, this.floats([Math.SQRT2], [])])])
    const doubled = this.node('Mul', [input, this.node('Add', [error, this.floats([1], [])])])
    return this.node('Mul', [doubled, this.floats([0.5], [])])
  }
}
