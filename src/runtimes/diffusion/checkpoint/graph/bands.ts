import type { GraphBuilder, Value } from './graph-builder.ts'
import { convolution, groupNorm, groups, type LayerContext } from './layers.ts'

/**
 * A feature map in horizontal bands of equal height, top first. Layers that work on bands give the same result as on the whole map, because
 * they include neighbouring rows and normalize over all bands, but need memory for a few bands only between two layers.
 */
export type Bands = readonly Value[]

const rows = 2
const end = Number.MAX_SAFE_INTEGER

/** Parts [batch, channels, height, width] into bands; the height must be a multiple of their number. */
export function splitBands(graph: GraphBuilder, whole: Value, count: number): Bands {
  return count === 1 ? [whole] : graph.nodes('Split', [whole], { axis: rows, num_outputs: count }, count)
}

/** Puts bands together again. */
export function joinBands(graph: GraphBuilder, bands: Bands): Value {
  return bands.length === 1 ? (bands[0] ?? '') : graph.node('Concat', bands, { axis: rows })
}

/** A convolution that keeps the size. */
export function convolveBands(context: LayerContext, module: string, bands: Bands): Bands {
  const edge = Math.floor(context.graph.weights.sizeOf(`${module}.weight`, 2) / 2)
  return bands.map((_, i) => {
    const pads = [i === 0 ? edge : 0, edge, i === bands.length - 1 ? edge : 0, edge] as const
    return convolution(context, module, edge === 0 ? (bands[i] ?? '') : withNeighbours(context.graph, bands, i, edge), { pads })
  })
}

/** Doubles height and width and convolves; with `halves` it returns twice as many bands of the original height. */
export function enlargeBands(context: LayerContext, module: string, bands: Bands, { halves }: { readonly halves: boolean }): Bands {
  const { graph } = context
  return bands.flatMap((_, i) => {
    const [first, last] = [i === 0, i === bands.length - 1]
    const doubled = graph.node('Resize', [withNeighbours(graph, bands, i, 1), '', graph.floats([1, 1, 2, 2])], {
      mode: 'nearest',
      coordinate_transformation_mode: 'asymmetric',
      nearest_mode: 'floor',
    })
    // Doubling turns a neighbour's row into two; the convolution uses one of them.
    const seen = first && last ? doubled : cut(graph, doubled, first ? 0 : 1, last ? end : -1)
    const large = convolution(context, module, seen, { pads: [first ? 1 : 0, 1, last ? 1 : 0, 1] })
    return splitBands(graph, large, halves ? 2 : 1)
  })
}

/** A convolution that halves height and width, as it was trained: it pads on the right and at the bottom only. Joins bands by twos. */
export function shrinkBands(context: LayerContext, module: string, bands: Bands): Bands {
  const { graph } = context
  const pairs = bands.length === 1 ? [bands] : Array.from({ length: bands.length / 2 }, (_, i) => bands.slice(2 * i, 2 * i + 2))
  return pairs.map((pair, i) => {
    const below = bands[2 * i + 2]
    const seen = joinBands(graph, below === undefined ? pair : [...pair, cut(graph, below, 0, 1)])
    return convolution(context, module, seen, { stride: 2, pads: [0, 0, below === undefined ? 1 : 0, 1] })
  })
}

/** Group normalization over all bands together. */
export function normalizeBands(graph: GraphBuilder, module: string, bands: Bands, epsilon: number): Bands {
  if (bands.length === 1) return bands.map((band) => groupNorm(graph, module, band, epsilon))
  const channels = graph.weights.sizeOf(`${module}.weight`, 0)
  const grouped = bands.map((band) => graph.node('Reshape', [band, graph.integers([0, groups, -1])]))
  const overAll = (values: readonly Value[]): Value =>
    graph.node(
      'Mean',
      values.map((value) => graph.node('ReduceMean', [value, graph.integers([2])], { keepdims: 1 })),
    )
  const mean = overAll(grouped)
  const distances = grouped.map((band) => graph.node('Sub', [band, mean]))
  const variance = overAll(distances.map((distance) => graph.node('Mul', [distance, distance])))
  const deviation = graph.node('Sqrt', [graph.node('Add', [variance, graph.floats([epsilon], [])])])
  const perGroup = (name: string): Value => graph.weight(`${module}.${name}`, [1, groups, channels / groups])
  const perChannel = (values: Value): Value => graph.node('Reshape', [values, graph.integers([0, channels, 1, 1])])
  const scale = graph.node('Div', [perGroup('weight'), deviation])
  const shift = graph.node('Sub', [perGroup('bias'), graph.node('Mul', [mean, scale])])
  const [scales, shifts] = [perChannel(scale), perChannel(shift)]
  return bands.map((band) => graph.node('Add', [graph.node('Mul', [band, scales]), shifts]))
}

/** A band with the rows next to it. */
function withNeighbours(graph: GraphBuilder, bands: Bands, i: number, reach: number): Value {
  const [above, band = '', below] = [bands[i - 1], bands[i], bands[i + 1]]
  const parts = [
    ...(above === undefined ? [] : [cut(graph, above, -reach, end)]),
    band,
    ...(below === undefined ? [] : [cut(graph, below, 0, reach)]),
  ]
  return joinBands(graph, parts)
}

function cut(graph: GraphBuilder, input: Value, from: number, to: number): Value {
  return graph.node('Slice', [input, graph.integers([from]), graph.integers([to]), graph.integers([rows])])
}
