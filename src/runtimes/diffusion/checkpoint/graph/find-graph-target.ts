import { InferenceSession, Tensor } from 'onnxruntime-node'
import type { ExecutionProvider } from '../../onnx/choose-provider.ts'
import { valueAt } from '../../value-at.ts'
import { encodeOnnxModel, type OnnxNode, onnxTypes } from './onnx-messages.ts'

/**
 * Determines the graph features of a provider's device by running small graphs: WebGPU devices may lack float16, and fused attention is
 * wrong on some (SwiftShader, with subgroups of four).
 */
export async function findGraphTarget(provider: ExecutionProvider): Promise<GraphTarget> {
  if (provider === 'cpu') return processorTarget
  return {
    ...gpuTarget,
    precision: (await squaresHalves(provider)) ? 'half' : 'single',
    attention: (await attendsRightly(provider)) ? 'fused' : 'plain',
  }
}

async function squaresHalves(provider: ExecutionProvider): Promise<boolean> {
  const nodes: readonly OnnxNode[] = [
    { type: 'Cast', inputs: ['x'], outputs: ['half'], attributes: { to: onnxTypes.float16 } },
    { type: 'Mul', inputs: ['half', 'half'], outputs: ['square'], attributes: {} },
    { type: 'Cast', inputs: ['square'], outputs: ['y'], attributes: { to: onnxTypes.float32 } },
  ]
  return (await run(provider, nodes, { x: new Tensor('float32', [3], [1]) }))?.[0] === 9
}

/** Tokens and width of the attention that is tried: enough for what the runtime uses on long sequences. */
const side = 64

async function attendsRightly(provider: ExecutionProvider): Promise<boolean> {
  const sequence = (pace: number) => Float32Array.from({ length: side * side }, (_, i) => Math.sin(pace * i))
  const [q, k, v] = [sequence(1.1), sequence(1.7), sequence(2.3)]
  const feeds = Object.fromEntries(
    Object.entries({ q, k, v }).map(([name, values]) => [name, new Tensor('float32', values, [1, side, side])]),
  )
  const type = 'MultiHeadAttention'
  const nodes = [{ type, domain: 'com.microsoft', inputs: ['q', 'k', 'v'], outputs: ['y'], attributes: { num_heads: 1 } }]
  const found = await run(provider, nodes, feeds)
  const expected = attention(q, k, v)
  return found?.length === expected.length && expected.every((value, i) => Math.abs(value - (found[i] ?? Number.NaN)) < 1e-3)
}

/** @see Vaswani et al. 2017, arXiv:1706.03762, section 3.2.1 */
function attention(q: Float32Array, k: Float32Array, v: Float32Array): Float32Array {
  const row = (of: Float32Array, i: number) => of.subarray(i * side, (i + 1) * side)
  const places = Array.from({ length: side }, (_, i) => i)
  return Float32Array.from(
    places.flatMap((i) => {
      const shares = places.map((j) =>
        Math.exp(row(q, i).reduce((sum, value, at) => sum + value * valueAt(row(k, j), at), 0) / Math.sqrt(side)),
      )
      const whole = shares.reduce((sum, share) => sum + share, 0)
      return places.map((at) => shares.reduce((sum, share, j) => sum + (share / whole) * valueAt(row(v, j), at), 0))
    }),
  )
}

/** Runs a small graph and returns `y`; null = the device cannot run it. */
async function run(
  provider: ExecutionProvider,
  nodes: readonly OnnxNode[],
  feeds: Readonly<Record<string, Tensor>>,
): Promise<Float32Array | null> {
  const inputs = Object.entries(feeds).map(([name, { dims }]) => ({ name, type: 'float32' as const, shape: dims }))
  const outputs = [{ name: 'y', type: 'float32' as const, shape: inputs[0]?.shape ?? [] }]
  const graph = encodeOnnxModel({ nodes, initializers: [], inputs, outputs })
  try {
    const session = await InferenceSession.create(graph, { executionProviders: [provider], logSeverityLevel: 4 })
    try {
      const data = (await session.run(feeds)).y?.data
      return data instanceof Float32Array ? data : null
    } finally {
      await session.release()
    }
  } catch {
    return null
  }
}

/** The features graphs may use. */
export interface GraphTarget {
  /**
   * `mapped`: weights stay in the file, which the system pages in and out; right for the processor. `constant`: the runtime copies and
   * prepares them; right for a GPU.
   */
  readonly weightsAs: 'mapped' | 'constant'
  /** `half`: sums in half precision but for those that need more; for a GPU that has it. */
  readonly precision: 'single' | 'half'
  /** `fused`: one operator of the runtime, which takes less time and memory; `plain`: products and a softmax, for a device that gets it wrong. */
  readonly attention: 'fused' | 'plain'
}

/** The processor. */
export const processorTarget: GraphTarget = { weightsAs: 'mapped', precision: 'single', attention: 'fused' }

/** Default for an unknown GPU. */
export const gpuTarget: GraphTarget = { weightsAs: 'constant', precision: 'single', attention: 'fused' }
