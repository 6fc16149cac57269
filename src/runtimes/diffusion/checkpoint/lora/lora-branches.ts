import type { GraphBuilder, Value } from '../graph/graph-builder.ts'
import type { ConvolutionOptions, SideBranches } from '../graph/layers.ts'

/** Names of the inputs that hold a module's two factors. */
export function loraInputs(module: string): { readonly down: string; readonly up: string } {
  return { down: `lora_down:${module}`, up: `lora_up:${module}` }
}

/**
 * Branches beside some modules of a graph, whose factors are inputs of any rank: mixing other LoRAs needs no other graph.
 *
 * @see Hu et al. 2021, arXiv:2106.09685
 */
export class LoraBranches implements SideBranches {
  readonly #modules: ReadonlySet<string>

  constructor(modules: ReadonlySet<string>) {
    this.#modules = modules
  }

  linear(graph: GraphBuilder, module: string, input: Value, output: Value): Value {
    if (!this.#modules.has(module)) return output
    const [outputs = 0, inputs = 0] = graph.weights.get(`${module}.weight`).shape
    const names = loraInputs(module)
    const down = graph.input(names.down, [`rank:${module}`, inputs])
    const up = graph.input(names.up, [outputs, `rank:${module}`])
    const inner = graph.node('Gemm', [input, down], { transB: 1 })
    return graph.node('Gemm', [inner, up, output], { transB: 1 })
  }

  convolution(
    graph: GraphBuilder,
    module: string,
    input: Value,
    output: Value,
    { stride = 1, pads = [0, 0, 0, 0] }: ConvolutionOptions,
  ): Value {
    if (!this.#modules.has(module)) return output
    const [outputs = 0, inputs = 0, height = 1, width = 1] = graph.weights.get(`${module}.weight`).shape
    const names = loraInputs(module)
    const down = graph.input(names.down, [`rank:${module}`, inputs, height, width])
    const up = graph.input(names.up, [outputs, `rank:${module}`, 1, 1])
    const inner = graph.node('Conv', [input, down], { kernel_shape: [height, width], strides: [stride, stride], pads })
    return graph.node('Add', [output, graph.node('Conv', [inner, up], { kernel_shape: [1, 1] })])
  }
}
