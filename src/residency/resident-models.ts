import { correctEstimate, estimateMemory, type MemoryEstimate, type MemoryNeed, noMemory } from '../core/memory/estimate-memory.ts'
import type { ModelDescriptor } from '../core/model.ts'
import type { ImageModel } from '../core/ports/image-model.ts'
import type { MeasuredMemory } from '../core/ports/measured-memory.ts'
import type { LoadedModel, LoadOptions, ModelLoader } from '../core/ports/model-loader.ts'
import type { ModelState } from '../core/ports/model-pool.ts'
import type { TextModel } from '../core/ports/text-model.ts'
import { memoryBudget, type ResidencyLimits } from './residency-state.ts'

type AnyLoaded = LoadedModel<TextModel> | LoadedModel<ImageModel>

/** The processes of loaded models, by id. */
export class ResidentModels {
  readonly texts = new Map<string, LoadedModel<TextModel>>()
  readonly images = new Map<string, LoadedModel<ImageModel>>()
  readonly #loader: ModelLoader
  readonly #onLost: (modelId: string, reason: string) => void

  /** @param onLost Called when a model has exited without being stopped. */
  constructor(loader: ModelLoader, onLost: (modelId: string, reason: string) => void) {
    this.#loader = loader
    this.#onLost = onLost
  }

  /** Loads a model; resolves when it is loaded. */
  async start(descriptor: ModelDescriptor, options: LoadOptions): Promise<AnyLoaded> {
    return descriptor.kind === 'text'
      ? this.#keep(descriptor.id, this.texts, await this.#loader.loadText(descriptor, options), options.signal)
      : this.#keep(descriptor.id, this.images, await this.#loader.loadImage(descriptor, options), options.signal)
  }

  /** Unloads a model. */
  async stop(modelId: string): Promise<void> {
    const loaded = this.#find(modelId)
    this.#forget(modelId)
    await loaded?.[Symbol.asyncDispose]()
  }

  async stopAll(): Promise<void> {
    await Promise.all([...this.texts.keys(), ...this.images.keys()].map((modelId) => this.stop(modelId)))
  }

  has(modelId: string): boolean {
    return this.#find(modelId) !== undefined
  }

  /** Current memory of every model; the expected memory for GPUs that do not report it. */
  measure(expected: (modelId: string) => MemoryNeed): ReadonlyMap<string, MemoryNeed> {
    return new Map([...this.texts, ...this.images].map(([id, loaded]) => [id, measure(loaded, loaded.memoryBytes(), () => expected(id))]))
  }

  /** Peak memory of a model. */
  measurePeak(modelId: string, expected: () => MemoryNeed): MemoryNeed {
    const loaded = this.#find(modelId)
    return loaded === undefined ? noMemory : measure(loaded, loaded.peakMemoryBytes?.() ?? loaded.memoryBytes(), expected)
  }

  /** Values reported by a loaded model. */
  describe(modelId: string): Pick<ModelState, 'memoryBytes' | 'contextLength' | 'cacheUse' | 'device'> {
    return {
      memoryBytes: this.#find(modelId)?.memoryBytes() ?? 0,
      contextLength: this.texts.get(modelId)?.model.contextLength,
      cacheUse: this.texts.get(modelId)?.model.figures?.()?.cacheUse,
      device: this.#find(modelId)?.model.device,
    }
  }

  async #keep<Loaded extends AnyLoaded>(
    modelId: string,
    models: Map<string, Loaded>,
    loaded: Loaded,
    signal: AbortSignal,
  ): Promise<Loaded> {
    if (signal.aborted) await loaded[Symbol.asyncDispose]()
    signal.throwIfAborted()
    models.set(modelId, loaded)
    loaded.exited.then(({ reason }) => {
      // Stopped models were removed from the maps before their processes ended.
      if (this.#find(modelId) !== loaded) return
      this.#forget(modelId)
      this.#onLost(modelId, reason)
    })
    return loaded
  }

  #find(modelId: string): AnyLoaded | undefined {
    return this.texts.get(modelId) ?? this.images.get(modelId)
  }

  #forget(modelId: string): void {
    this.texts.delete(modelId)
    this.images.delete(modelId)
  }
}

function measure({ model }: AnyLoaded, processorBytes: number, expected: () => MemoryNeed): MemoryNeed {
  const { backend = 'cpu', takenBytes } = model.device ?? {}
  return { processorBytes, gpuBytes: backend === 'cpu' ? 0 : (takenBytes ?? expected().gpuBytes) }
}

interface Sources {
  readonly limits: ResidencyLimits
  readonly measured?: MeasuredMemory
}

/** Expected memory of a model, from the last measurement or its files. */
export function estimateModel({ limits, measured }: Sources, descriptor: ModelDescriptor): MemoryEstimate {
  const { textSlots, memoryBytes, machineBytes = memoryBytes } = limits
  const { gpuBytes } = memoryBudget(limits)
  const estimate = estimateMemory(descriptor, { textSlots, machineBytes: Math.min(machineBytes, memoryBytes), gpuBytes })
  const last = measured?.find(descriptor.id, conditionsOf(descriptor, limits))
  return last === undefined ? estimate : correctEstimate(estimate, last)
}

/** Stores the measured memory of a local model. */
export async function rememberMemory(
  { limits, measured }: Sources,
  descriptor: ModelDescriptor | undefined,
  memory: MemoryNeed,
): Promise<void> {
  if (descriptor === undefined || memory.processorBytes === 0) return
  await measured?.note(descriptor.id, conditionsOf(descriptor, limits), memory)
}

/** Everything besides the name that determines a model's memory. */
function conditionsOf(descriptor: ModelDescriptor, { textSlots, memoryBytes, gpuMemoryBytes }: ResidencyLimits): string {
  const own = descriptor.kind === 'text' ? [descriptor.contextLength, textSlots] : [descriptor.refiner]
  return JSON.stringify([descriptor.bytes, memoryBytes, gpuMemoryBytes ?? null, ...own])
}
