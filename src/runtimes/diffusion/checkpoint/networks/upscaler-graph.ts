import { type Bands, convolveBands, enlargeBands, joinBands, splitBands } from '../graph/bands.ts'
import type { GraphTarget } from '../graph/find-graph-target.ts'
import { GraphBuilder, type Value } from '../graph/graph-builder.ts'
import { convolution, type LayerContext } from '../graph/layers.ts'
import type { WeightTable } from '../weights/weight-table.ts'

/** Factor of a block's residual. */
const residualScale = 0.2
const slope = 0.2
const colours = 3

/**
 * Writes the graph of an ESRGAN network, its trunk as a whole and what follows at larger sizes in bands: picture [1, 3, height, width],
 * 0 to 1, both sides multiples of `gathered` and at least twice that.
 *
 * @see Wang et al. 2018, arXiv:1809.00219; `gathered`: Wang et al. 2021, arXiv:2107.10833
 */
export function writeUpscalerGraph(
  weights: WeightTable,
  target: GraphTarget,
  { blocks, doublings, gathered }: { readonly blocks: number; readonly doublings: number; readonly gathered: number },
): Uint8Array {
  const graph = new GraphBuilder(weights, target)
  const context: LayerContext = { graph, branches: null }
  const picture = graph.input('picture', [1, colours, 'height', 'width'])
  const first = convolution(context, 'conv_first', gathered === 1 ? picture : gatherPixels(graph, picture, gathered))
  let trunk = first
  for (let i = 0; i < blocks; i++) trunk = residualBlocks(context, `body.${i}`, trunk)
  const features = graph.node('Add', [first, convolution(context, 'conv_body', trunk)])
  let bands: Bands = splitBands(graph, features, 2)
  for (let i = 0; i < doublings; i++) bands = active(graph, enlargeBands(context, `conv_up${i + 1}`, bands, { halves: true }))
  bands = convolveBands(context, 'conv_last', active(graph, convolveBands(context, 'conv_hr', bands)))
  graph.output(joinBands(graph, bands), 'enlarged', [1, colours, 'large_height', 'large_width'])
  return graph.encode()
}

/** Three dense blocks, each of five convolutions that see everything before them. */
function residualBlocks(context: LayerContext, block: string, input: Value): Value {
  const { graph } = context
  let hidden = input
  for (const dense of ['rdb1', 'rdb2', 'rdb3']) {
    let seen: readonly Value[] = [hidden]
    for (let i = 1; i <= 4; i++)
      seen = [...seen, leakyRelu(graph, convolution(context, `${block}.${dense}.conv${i}`, together(graph, seen)))]
    hidden = scaledOnto(graph, convolution(context, `${block}.${dense}.conv5`, together(graph, seen)), hidden)
  }
  return scaledOnto(graph, hidden, input)
}

function together(graph: GraphBuilder, seen: readonly Value[]): Value {
  return seen.length === 1 ? (seen[0] ?? '') : graph.node('Concat', seen, { axis: 1 })
}

function scaledOnto(graph: GraphBuilder, added: Value, base: Value): Value {
  return graph.node('Add', [base, graph.node('Mul', [added, graph.floats([residualScale], [])])])
}

function active(graph: GraphBuilder, bands: Bands): Bands {
  return bands.map((band) => leakyRelu(graph, band))
}

function leakyRelu(graph: GraphBuilder, input: Value): Value {
  return graph.node('LeakyRelu', [input], { alpha: { float: slope } })
}

/** The pixels of squares as channels, in PyTorch's order, by a convolution that picks each. */
function gatherPixels(graph: GraphBuilder, picture: Value, side: number): Value {
  const area = side * side
  const pick = new Array<number>(colours * area * colours * area).fill(0)
  for (let colour = 0; colour < colours; colour++)
    for (let place = 0; place < area; place++) pick[((colour * area + place) * colours + colour) * area + place] = 1
  const kernel = graph.floats(pick, [colours * area, colours, side, side])
  return graph.node('Conv', [picture, kernel], { kernel_shape: [side, side], strides: [side, side] })
}
