import type { GraphBuilder, Value } from '../graph/graph-builder.ts'
import type { ConvolutionOptions, SideBranches } from '../graph/layers.ts'

/**
 * Key of a branch of a graph: all low-rank changes to a module, with a variable rank; one change of another kind; or the addition to a
 * tensor, as `add:` and its name.
 */
export type BranchKey = string

/** The key of the n-th change of a kind to a module; `rows` and `columns`: those that are given lengths (DoRA). */
export function branchKey(module: string, kind: 'kronecker' | 'rows' | 'columns', index: number): BranchKey {
  return `${kind}${index}:${module}`
}

/** The key of the addition to a tensor. */
export function additionKey(tensor: string): BranchKey {
  return `add:${tensor}`
}

/** Names of the inputs that hold a branch's numbers. */
export function loraInputs(key: BranchKey): { readonly down: string; readonly up: string; readonly lengths: string } {
  return { down: `lora_down:${key}`, up: `lora_up:${key}`, lengths: `lora_lengths:${key}` }
}

/** The branches a new session needs, given those of the current one; null = keep the session. Only unused low-rank branches are cheap. */
export function neededBranches(wanted: ReadonlySet<BranchKey>, before: ReadonlySet<BranchKey> | null): ReadonlySet<BranchKey> | null {
  const isCostly = (key: BranchKey) => key.includes(':')
  if (before === null) return wanted
  if (wanted.isSubsetOf(before) && [...before].every((key) => !isCostly(key) || wanted.has(key))) return null
  return wanted.union(new Set([...before].filter((key) => !isCostly(key))))
}

/**
 * Branches beside some modules of a graph, whose factors are inputs of any rank: mixing other LoRAs needs no other graph.
 *
 * @see Hu et al. 2021, arXiv:2106.09685
 */
export class LoraBranches implements SideBranches {
  readonly #keys: ReadonlySet<BranchKey>

  constructor(keys: ReadonlySet<BranchKey>) {
    this.#keys = keys
  }

  adds(tensor: string): boolean {
    return this.#keys.has(additionKey(tensor))
  }

  linear(graph: GraphBuilder, module: string, input: Value, output: Value): Value {
    const [outputs = 0, inputs = 0] = graph.weights.get(`${module}.weight`).shape
    let sum = output
    if (this.#keys.has(module)) {
      const { down, up } = factorInputs(graph, module, { rows: outputs, columns: [inputs], area: [] })
      sum = graph.node('Gemm', [graph.node('Gemm', [input, down], { transB: 1 }), up, sum], { transB: 1 })
    }
    for (const key of this.#kindsOf(module, 'kronecker')) sum = graph.node('Add', [sum, kroneckerRows(graph, key, input, outputs)])
    const bare = () =>
      this.#adds(module)
        ? graph.node('Gemm', [input, graph.unchanged(`${module}.weight`, [outputs, inputs])], { transB: 1 })
        : withoutBias(graph, module, output, [outputs])
    for (const kind of ['rows', 'columns'] as const)
      for (const key of this.#kindsOf(module, kind))
        sum = graph.node('Add', [sum, magnified(graph, key, { module, kind, input, bare, outputs, inputs })])
    return sum
  }

  convolution(graph: GraphBuilder, module: string, input: Value, output: Value, options: ConvolutionOptions): Value {
    const [outputs = 0, inputs = 0, height = 1, width = 1] = graph.weights.get(`${module}.weight`).shape
    const { stride = 1, pads = [0, 0, 0, 0] } = options
    const attributes = { kernel_shape: [height, width], strides: [stride, stride], pads }
    let sum = output
    const low = (key: BranchKey) => {
      const { down, up } = factorInputs(graph, key, { rows: outputs, columns: [inputs, height, width], area: [1, 1] })
      return { down, up, product: graph.node('Conv', [graph.node('Conv', [input, down], attributes), up], { kernel_shape: [1, 1] }) }
    }
    if (this.#keys.has(module)) sum = graph.node('Add', [sum, low(module).product])
    for (const key of this.#kindsOf(module, 'kronecker'))
      sum = graph.node('Add', [sum, kroneckerPixels(graph, key, input, { like: output, attributes })])
    for (const key of this.#kindsOf(module, 'rows')) {
      const { down, up, product } = low(key)
      const flat = (value: Value, sizes: readonly number[]) => graph.node('Reshape', [value, graph.integers(sizes)])
      const change = graph.node('MatMul', [flat(up, [outputs, -1]), flat(down, [-1, inputs * height * width])])
      const weight = graph.unchanged(`${module}.weight`, [outputs, inputs * height * width])
      const gain = flat(gainOf(graph, key, { weight, change, axis: 1 }), [outputs, 1, 1])
      const bare = this.#adds(module)
        ? graph.node('Conv', [input, graph.unchanged(`${module}.weight`)], attributes)
        : withoutBias(graph, module, output, [outputs, 1, 1])
      sum = graph.node('Add', [sum, regained(graph, { bare, product, gain })])
    }
    return sum
  }

  /** Whether an output holds another change of the weight: DoRA starts from the original one, as peft does for adapters side by side. */
  #adds(module: string): boolean {
    return this.adds(`${module}.weight`)
  }

  #kindsOf(module: string, kind: 'kronecker' | 'rows' | 'columns'): readonly BranchKey[] {
    const keys: BranchKey[] = []
    for (let i = 0; this.#keys.has(branchKey(module, kind, i)); i++) keys.push(branchKey(module, kind, i))
    return keys
  }
}

function factorInputs(
  graph: GraphBuilder,
  key: BranchKey,
  { rows, columns, area }: { readonly rows: number; readonly columns: readonly number[]; readonly area: readonly number[] },
): { readonly down: Value; readonly up: Value } {
  const names = loraInputs(key)
  return { down: graph.input(names.down, [`rank:${key}`, ...columns]), up: graph.input(names.up, [rows, `rank:${key}`, ...area]) }
}

/** outer ⊗ inner times rows: the columns as a table, inner on its rows, outer on its columns. */
function kroneckerRows(graph: GraphBuilder, key: BranchKey, input: Value, outputs: number): Value {
  const names = loraInputs(key)
  const outer = graph.input(names.up, [`a:${key}`, `b:${key}`])
  const inner = graph.input(names.down, [`c:${key}`, `d:${key}`])
  const columns = graph.node('Slice', [graph.node('Shape', [inner]), graph.integers([1]), graph.integers([2])])
  const table = graph.node('Reshape', [input, graph.node('Concat', [graph.integers([0, -1]), columns], { axis: 0 })])
  const seen = graph.node('MatMul', [table, graph.node('Transpose', [inner], { perm: [1, 0] })])
  return graph.node('Reshape', [graph.node('MatMul', [outer, seen]), graph.integers([-1, outputs])])
}

/** A Kronecker product for a convolution: the inner factor convolves each share of the channels. */
function kroneckerPixels(
  graph: GraphBuilder,
  key: BranchKey,
  input: Value,
  { like, attributes }: { readonly like: Value; readonly attributes: Parameters<GraphBuilder['node']>[2] },
): Value {
  const names = loraInputs(key)
  const outer = graph.input(names.up, [`a:${key}`, `b:${key}`])
  const inner = graph.input(names.down, [`c:${key}`, `d:${key}`, `h:${key}`, `w:${key}`])
  const sizeOf = (value: Value, axis: number) =>
    graph.node('Slice', [graph.node('Shape', [value]), graph.integers([axis]), graph.integers([axis + 1])])
  const join = (parts: readonly Value[]) => graph.node('Concat', parts, { axis: 0 })
  const shares = graph.node('Reshape', [input, join([graph.integers([-1]), sizeOf(inner, 1), sizeOf(input, 2), sizeOf(input, 3)])])
  const seen = graph.node('Conv', [shares, inner], attributes)
  const flat = graph.node('Reshape', [seen, join([sizeOf(input, 0), sizeOf(outer, 1), graph.integers([-1])])])
  return graph.node('Reshape', [graph.node('MatMul', [outer, flat]), graph.node('Shape', [like])])
}

/**
 * DoRA's addition to rows: weight plus change, with rows or columns scaled to their trained length, minus the weight. @see Liu et al. 2024,
 * arXiv:2402.09353
 */
function magnified(
  graph: GraphBuilder,
  key: BranchKey,
  {
    module,
    kind,
    input,
    bare,
    outputs,
    inputs,
  }: {
    readonly module: string
    readonly kind: 'rows' | 'columns'
    readonly input: Value
    /** Adds the input's product with the original weight to the graph. */
    readonly bare: () => Value
    readonly outputs: number
    readonly inputs: number
  },
): Value {
  const { down, up } = factorInputs(graph, key, { rows: outputs, columns: [inputs], area: [] })
  const weight = graph.unchanged(`${module}.weight`, [outputs, inputs])
  const change = graph.node('MatMul', [up, down])
  const times = (rows: Value) => graph.node('Gemm', [graph.node('Gemm', [rows, down], { transB: 1 }), up], { transB: 1 })
  const gain = gainOf(graph, key, { weight, change, axis: kind === 'rows' ? 1 : 0 })
  if (kind === 'columns') {
    const longer = graph.node('Mul', [input, gain])
    const more = graph.node('Gemm', [graph.node('Sub', [longer, input]), weight], { transB: 1 })
    return graph.node('Add', [more, times(longer)])
  }
  return regained(graph, { bare: bare(), product: times(input), gain })
}

/** Scale of each row (axis 1) or column (axis 0) of weight and change together. */
function gainOf(
  graph: GraphBuilder,
  key: BranchKey,
  { weight, change, axis }: { readonly weight: Value; readonly change: Value; readonly axis: number },
): Value {
  const lengths = graph.input(loraInputs(key).lengths, [`lengths:${key}`])
  const own = graph.node('ReduceL2', [graph.node('Add', [weight, change]), graph.integers([axis])], { keepdims: 0 })
  return graph.node('Div', [lengths, own])
}

/** (gain − 1) · bare + gain · product */
function regained(
  graph: GraphBuilder,
  { bare, product, gain }: { readonly bare: Value; readonly product: Value; readonly gain: Value },
): Value {
  return graph.node('Sub', [graph.node('Mul', [graph.node('Add', [bare, product]), gain]), bare])
}

function withoutBias(graph: GraphBuilder, module: string, output: Value, shape: readonly number[]): Value {
  return graph.weights.has(`${module}.bias`) ? graph.node('Sub', [output, graph.weight(`${module}.bias`, shape)]) : output
}
