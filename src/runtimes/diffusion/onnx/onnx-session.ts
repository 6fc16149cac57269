import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { InferenceSession, Tensor } from 'onnxruntime-node'
import { ServiceError } from '../../../core/error.ts'
import type { ExecutionProvider } from './choose-provider.ts'
import type { MappedFiles } from './mapped-files.ts'
import { unusableModel } from './model-file.ts'
import type { RunnableSession, SessionTurns } from './session-turns.ts'
import { fromTensor, type NumericTensor, type NumericValues, toTensor } from './tensor.ts'
import { upcastGraph } from './upcast-graph.ts'

/** Message for weights of inconsistent shapes. */
const unfit = 'has tensors whose shapes do not fit each other; copy it again or use another file'
/** Runtime errors about inconsistent shapes that only occur while computing. */
const isUnfit = /X\.shape(?:\(\))?\[axis:\]|broadcast an axis by a dimension|element out of data bounds/u

/** Optimizers of the runtime that search every node, but change nothing in a transformer's graph with mapped weights. */
const idleOptimizers = [
  'QDQPropagationTransformer',
  'EnsureUniqueDQForNodeUnit',
  'WeightBiasQuantization',
  'DoubleQDQPairsRemover',
  'QDQSelectorActionTransformer',
  'QDQFinalCleanupTransformer',
  'QDQS8ToU8Transformer',
  'AvoidMemcpy',
  'DQMatMulToMatMulNBits',
  'WhereDummyDq',
  'MatMulIntegerToFloatFusion',
  'DynamicQuantizeMatMulFusion',
  'AttentionFusion',
  'EmbedLayerNormFusion',
  'GatherToSliceFusion',
  'GroupQueryAttentionFusion',
  'MatMulScaleFusion',
  'MatmulTransposeFusion',
  'MatMulActivationFusion',
  'MatMulNBitsFusion',
  'BiasSoftmaxFusion',
  'BiasDropoutFusion',
  'GemmActivationFusion',
  'ConvActivationFusion',
  'ConvAddActivationFusion',
  'NchwcTransformer',
  'NhwcTransformer',
  'TransposeOptimizer',
  'ConstantSharing',
  'ReshapeFusion',
  'MatMulAddFusion',
].join(';')

/** Description of an input or output; named dimensions are strings. */
export interface TensorDescription {
  readonly name: string
  readonly type: string
  readonly shape: readonly (number | string)[]
}

/**
 * A loaded ONNX file. Names, element types and ranks come from the file; values are passed as float32 or integers and converted as needed.
 */
export class OnnxSession implements AsyncDisposable {
  /** Path inside the model folder, for messages. */
  readonly file: string
  readonly inputs: ReadonlyMap<string, TensorDescription>
  readonly outputs: ReadonlyMap<string, TensorDescription>
  readonly isOnGpu: boolean
  readonly #session: RunnableSession

  constructor(file: string, session: RunnableSession, { provider = 'cpu' }: Pick<SessionOptions, 'provider'> = {}) {
    this.file = file
    this.isOnGpu = provider !== 'cpu'
    this.#session = session
    this.inputs = describe(session.inputMetadata)
    this.outputs = describe(session.outputMetadata)
  }

  /** The description of an input; @throws {ServiceError} `inference_failed` naming the file when it has none of that name. */
  input(name: string): TensorDescription {
    const found = this.inputs.get(name)
    if (found === undefined) throw unusableModel(this.file, `has no input "${name}" (it has ${[...this.inputs.keys()].join(', ')})`)
    return found
  }

  /** The first of these outputs that the file has. */
  output(...names: readonly string[]): string {
    const found = names.find((name) => this.outputs.has(name))
    if (found === undefined)
      throw unusableModel(this.file, `has no output "${names.join('" or "')}" (it has ${[...this.outputs.keys()].join(', ')})`)
    return found
  }

  /** Values as the input of that name takes them. */
  tensor(name: string, values: NumericValues, dims: readonly number[]): Tensor {
    return toTensor(this.input(name).type, values, dims)
  }

  /**
   * Runs the model once. Blocks the event loop until it is done.
   *
   * @returns The wanted outputs as float32, each of them.
   * @throws {ServiceError} `inference_failed` when the model rejects the values or leaves out an output.
   */
  async run<const Names extends readonly string[]>(
    feeds: Readonly<Record<string, Tensor>>,
    wanted: Names,
  ): Promise<{ readonly [Place in keyof Names]: NumericTensor }> {
    try {
      const results = await this.#session.run(feeds, wanted)
      const outputs = wanted.map((name) => {
        const result = results[name]
        if (!(result instanceof Tensor)) throw new Error(`output ${name} is not a tensor`)
        return fromTensor(result)
      })
      return outputs as { readonly [Place in keyof Names]: NumericTensor }
    } catch (error) {
      if (isUnfit.test(describeError(error))) throw unusableModel(this.file, unfit, error)
      throw new ServiceError('inference_failed', 'The image model failed while running; try again.', {
        cause: new Error(`${this.file}: ${describeError(error)}`, { cause: error }),
      })
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#session.release()
  }
}

function describe(metadata: readonly InferenceSession.ValueMetadata[]): ReadonlyMap<string, TensorDescription> {
  return new Map(
    metadata.flatMap((entry) =>
      entry.isTensor ? [[entry.name, { name: entry.name, type: entry.type, shape: entry.shape }] as const] : [],
    ),
  )
}

function describeError(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

export interface SessionOptions {
  readonly threads: number
  readonly provider?: ExecutionProvider
  /** Whether the memory of a run is kept for the next one; not worth it for a network that runs once per picture. */
  readonly keepsMemory?: boolean
  /** Whether idle threads of a written graph spin, which is the default, or sleep. */
  readonly spins?: boolean
}

/** Loads one ONNX file of a model folder; weights in external files beside it are found by the runtime. */
export async function openOnnxSession(folder: string, file: string, options: SessionOptions): Promise<OnnxSession> {
  try {
    return new OnnxSession(file, await InferenceSession.create(join(folder, file), runtimeOptions(options)), options)
  } catch (error) {
    throw unusableModel(file, `does not load (${describeError(error).replaceAll(join(folder, '/'), '')})`, error)
  }
}

/** Loads an ONNX file once more with all its half-precision numbers in single precision; null where it has none. */
export async function openUpcast(folder: string, file: string, options: SessionOptions): Promise<OnnxSession | null> {
  const upcast = upcastGraph(await readFile(join(folder, file)))
  if (upcast === null) return null
  try {
    return new OnnxSession(file, await InferenceSession.create(upcast, runtimeOptions(options)), options)
  } catch (error) {
    throw unusableModel(file, `does not load in single precision (${describeError(error)})`, error)
  }
}

/** A graph that was written for weights in files of a folder. */
export interface WrittenGraph {
  /** Name in messages. */
  readonly label: string
  /** Called each time the graph is loaded. */
  readonly write: () => Uint8Array
  /** Absolute path of the folder with its weights. */
  readonly folder: string
}

export interface WrittenGraphOptions extends SessionOptions {
  /** Turns of its component, if it shares memory with others. */
  readonly turns?: SessionTurns
  readonly part?: string
  /** Whether the graph consists of fused operators, so that the load skips the optimizers that find nothing in it. */
  readonly isFused?: boolean
  /** Makes the weights leave memory when another part runs; absent = they stay. */
  readonly mapped?: { readonly files: MappedFiles; readonly part: string } | null
}

/** Loads a generated graph whose weights stay in their files. */
export async function openWrittenGraph(
  { label, write, folder }: WrittenGraph,
  { turns, part = '', isFused = false, mapped = null, ...options }: WrittenGraphOptions,
): Promise<OnnxSession> {
  const create = () =>
    InferenceSession.create(write(), {
      ...runtimeOptions(options),
      // Buffers from memory planning would keep the largest size ever drawn, in addition to the mapped weights.
      enableMemPattern: false,
      extra: {
        session: {
          model_external_initializers_file_folder_path: folder,
          ...(options.spins === false && { intra_op: { allow_spinning: '0' } }),
        },
        ...(isFused && { optimization: { disable_specified_optimizers: idleOptimizers } }),
      },
    })
  try {
    const session = await (turns === undefined ? create() : turns.open(part, create))
    return new OnnxSession(label, mapped?.files.sessionOf(mapped.part, session) ?? session, options)
  } catch (error) {
    if (error instanceof ServiceError) throw error
    const message = describeError(error)
    if (message.includes('ShapeInferenceError')) throw unusableModel(label, unfit, error)
    throw unusableModel(label, `does not load (${message.replaceAll(join(folder, '/'), '')})`, error)
  }
}

function runtimeOptions({ threads, provider = 'cpu', keepsMemory = true }: SessionOptions): InferenceSession.SessionOptions {
  return {
    executionProviders: [provider],
    enableCpuMemArena: keepsMemory,
    intraOpNumThreads: threads,
    interOpNumThreads: 1,
    executionMode: 'sequential',
    graphOptimizationLevel: 'all',
    logSeverityLevel: 3,
  }
}
