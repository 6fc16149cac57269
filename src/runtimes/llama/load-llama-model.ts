import { basename } from 'node:path'
import { type ComputeDevice, chooseThreads, type DeviceChoice } from '../../core/compute-device.ts'
import { defined } from '../../core/defined.ts'
import { ServiceError } from '../../core/error.ts'
import type { TextModelDescriptor } from '../../core/model.ts'
import type { TextModel } from '../../core/ports/text-model.ts'
import type { VisionTower } from '../../core/ports/vision-tower.ts'
import { OnDemand } from '../../core/waiting.ts'
import { AdapterShelf } from './adapter-shelf.ts'
import { GrammarAllowance } from './automaton/grammar-allowance.ts'
import { GrammarCache } from './automaton/grammar-cache.ts'
import type { SpelledTokens } from './automaton/token-grammar.ts'
import { TokenTrie } from './automaton/token-trie.ts'
import { priceLeftOver } from './batch/align-prompts.ts'
import { DecodeLoop } from './batch/decode-loop.ts'
import { SequenceTable } from './batch/sequence-table.ts'
import { cacheMemory } from './binding/cache-memory.ts'
import { ComputeThreads } from './binding/compute-threads.ts'
import { NativeSampler } from './binding/native-sampler.ts'
import { openContext } from './binding/open-context.ts'
import { type ModelFile, openModelFile } from './binding/open-model-file.ts'
import { ThreadPool } from './binding/thread-pool.ts'
import { readVocabulary, type Vocabulary } from './binding/vocabulary.ts'
import { EncoderContext } from './encoder-context.ts'
import { generateText, tokenizeFitting } from './generate-text.ts'
import { ConstraintCache } from './grammar/constraint-cache.ts'
import type { LlamaEngine } from './llama-engine.ts'
import { PictureMemory } from './pictures/picture-memory.ts'
import { compileChatTemplate } from './prompt/chat-template.ts'
import { StretchMemory } from './prompt/stretch-memory.ts'
import { thoughtTokens } from './prompt/thought-format.ts'
import { detectToolFormat, toolMarks } from './prompt/tool-format.ts'
import { GuessTotals } from './speculation/guess-record.ts'
import { openGuesser } from './speculation/open-guesser.ts'
import { Speculation } from './speculation/speculation.ts'
import { embedTexts } from './text-embedder.ts'
import { rankTexts } from './text-ranker.ts'
import { detokenizeText, tokenizeText } from './text-tokens.ts'

/** `gpu` is `off` where it is left out. */
export interface LoadOptions extends Partial<DeviceChoice> {
  /** Compute threads; more than cores − 1 makes every batch wait for other processes. */
  readonly threads: number
  /** Sequences at once; requests over it wait in order of arrival. */
  readonly slots: number
  /** Memory limit for all models together; default the machine's memory. */
  readonly memoryBytes?: number
  /** See {@link ModelFileOptions.mapsWeights}. */
  readonly mapsWeights?: boolean
  /** Called with the share of the file that has been read, 0 to 1. */
  readonly onProgress?: (part: number) => void
  /** Whether the process has one thread for native work, libuv's pool of one; not where it is left out. */
  readonly inOrder?: boolean
  /** Milliseconds on a clock that never goes back; the machine's own unless a test brings one. */
  readonly now?: () => number
  /** Opens the tower of a model that sees; its pictures are rejected where it is left out. */
  readonly openTower?: (projector: string, options: { readonly threads: number }) => Promise<VisionTower>
  readonly signal: AbortSignal
}

/** A loaded model whose number of threads can change. */
export interface LlamaModel extends TextModel, AsyncDisposable {
  /** From the next batch on. */
  useThreads(count: number): void
}

/**
 * Loads a GGUF file into this process.
 *
 * @throws {ServiceError} `inference_failed` if llama.cpp cannot run the model.
 */
export async function loadLlamaModel(descriptor: TextModelDescriptor, options: LoadOptions): Promise<LlamaModel> {
  await using opened = new AsyncDisposableStack()
  const file = opened.use(await openModelFile(descriptor.file, options))
  const wholeOnGpu = file.device.backend !== 'cpu' && file.gpuLayers >= file.layers
  const bytesHere = file.device.backend === 'cpu' ? file.bytes : 0
  const pool = opened.use(new ThreadPool(file.native.library, chooseThreads(options.threads, { wholeOnGpu }), bytesHere))
  const threads = new ComputeThreads(pool, file.bytes)
  const context = opened.use(
    await openContext(file, { ...options, pool, contextLength: descriptor.contextLength, cacheType: descriptor.cacheType }),
  )
  const tower = descriptor.projector === undefined ? null : await openUsableTower(descriptor.projector, file, options)
  opened.defer(async () => (await tower?.opened())?.[Symbol.asyncDispose]())
  const vocabulary = readVocabulary(file, [...toolMarks, ...thoughtTokens(file.chatTemplate)])
  const table = new SequenceTable(context.native, options.slots)
  const { contextLength } = context
  const { now = () => performance.now(), inOrder = false } = options
  const guesser =
    descriptor.speculative === null ? null : opened.use(await openGuesser(descriptor.speculative, { file, context }, { ...options, pool }))
  const speculation = guesser === null ? null : new Speculation(guesser)
  const parts = { context: context.native, table, threads, speculation, leftOver: priceLeftOver(file), inOrder, now }
  const loop = opened.use(new DecodeLoop(parts, context.limits))
  const template = compileChatTemplate(file.chatTemplate, { begin: vocabulary.beginText, end: vocabulary.endText })
  let spelled: SpelledTokens | null = null
  const allowance = new GrammarAllowance(now)
  const engine: LlamaEngine = {
    vocabulary,
    template,
    toolFormat: detectToolFormat(template.source),
    loop,
    adapters: opened.use(new AdapterShelf({ model: descriptor.id, native: file.native, loop })),
    contextLength,
    longestToken: file.longestToken,
    createSampler: (config) => new NativeSampler(file.native, config),
    grammars: new GrammarCache(() => (spelled ??= spellTokens(vocabulary, template.thoughts?.endings)), allowance),
    constraints: new ConstraintCache(allowance),
    stretches: new StretchMemory(),
    pictures: tower === null ? null : new PictureMemory(tower),
  }
  const { ranks = false } = descriptor
  const totals = speculation?.totals ?? new GuessTotals()
  const memoryBytes = cacheMemory({ bytes: file.bytes, gpuMemory: null }, options)
  const encoding = { loop, threads, pool, contextLength, memoryBytes, ranking: ranks, wholeOnGpu, now }
  const whole = { file, vocabulary, encoder: opened.use(new EncoderContext(file, encoding)) }
  const device = describeDevice(file)
  const resources = opened.move()
  return {
    device,
    contextLength,
    figures: () => ({ cacheUse: table.tokensInUse / (contextLength * options.slots), ...totals }),
    generate: (request, options) => generateText(engine, request, options),
    countPrompt: async (request, { account, signal }) => (await tokenizeFitting(engine, request, { account, signal })).length,
    embed: async (request, { signal }) => {
      if (!descriptor.embeddings) throw makesNone(descriptor.id)
      return await embedTexts(whole, request, { signal })
    },
    rank: ranks ? (request, { signal }) => rankTexts(whole, request, { signal }) : undefined,
    tokenize: (request, { account, signal }) => tokenizeText(engine, request, { account, signal }),
    detokenize: async (request) => detokenizeText(engine, request),
    useThreads: (count) => {
      pool.count = count
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

/**
 * The tower of a model. Texts need none, so failing to open it only rejects pictures: all of them if its file is at fault, otherwise until
 * one opens it.
 */
async function openUsableTower(...parts: Parameters<typeof openFittingTower>): Promise<OnDemand<VisionTower>> {
  const tower = new OnDemand(async () => {
    try {
      return await openFittingTower(...parts)
    } catch (error) {
      if (!(error instanceof ServiceError) || error.param !== 'model') throw error
      const reject = () => Promise.reject(error)
      return { width: 0, seesAround: false, makesGrids: false, layOut: reject, look: reject, [Symbol.asyncDispose]: async () => undefined }
    }
  })
  await tower.get().catch(() => undefined)
  return tower
}

/** @throws {ServiceError} `inference_failed` when the tower does not fit the model. */
async function openFittingTower(projector: string, { native }: ModelFile, { openTower, threads }: LoadOptions): Promise<VisionTower> {
  if (openTower === undefined) throw new ServiceError('unsupported', 'This engine opens no projectors of models that see.')
  const tower = await openTower(projector, { threads })
  if (tower.width === native.inputLength && tower.makesGrids === native.placesInGrids) return tower
  await tower[Symbol.asyncDispose]()
  const difference =
    tower.makesGrids === native.placesInGrids
      ? `its vectors have ${tower.width} numbers, those of the model ${native.inputLength}`
      : `${tower.makesGrids ? 'it' : 'the model'} places images in a grid, and ${tower.makesGrids ? 'the model' : 'it'} in a row`
  const message = `${basename(projector)} is the projector of another model: ${difference}; replace it with the model's own mmproj file, or remove it.`
  throw new ServiceError('inference_failed', message, { param: 'model' })
}

/** Includes the number of layers on the GPU if not all fit. */
function describeDevice(file: ModelFile): ComputeDevice {
  const { device, gpuLayers, layers } = file
  if (device.backend === 'cpu') return device
  const takenBytes = file.takenOfGpu()
  const split = gpuLayers < layers ? { onDevice: gpuLayers, total: layers } : undefined
  // If loading does not reduce the free memory that the driver reports, the driver cannot be used to measure.
  return { ...device, ...defined({ takenBytes: takenBytes > 0 ? takenBytes : undefined, layers: split }) }
}

function makesNone(model: string): ServiceError {
  return new ServiceError('unsupported_parameter', `The model ${model} makes no embeddings; use one whose model.json sets "embeddings".`, {
    param: 'model',
  })
}

/**
 * A vocabulary as grammars see it: tokens that end an answer and control tokens spell nothing.
 *
 * @param endings Spellings of tokens that end an answer for its reader, so that they may not come in the middle of one.
 */
function spellTokens({ size, ends, isEnd, piece }: Vocabulary, endings: readonly string[] = []): SpelledTokens {
  const spell = (token: number): Uint8Array => {
    const { text, bytes } = piece(token)
    return isEnd(token) || (text !== null && endings.includes(text)) ? nothing : bytes
  }
  return { trie: new TokenTrie(size, spell), spell, ends }
}

const nothing = new Uint8Array()
