import { ServiceError } from '../../core/error.ts'
import type { ModelDescriptor } from '../../core/model.ts'
import type { Clock } from '../../core/ports/clock.ts'
import type { ImageModel } from '../../core/ports/image-model.ts'
import type { LoadedModel, LoadOptions, ModelLoader } from '../../core/ports/model-loader.ts'
import type { TextModel } from '../../core/ports/text-model.ts'
import { createFakeImageModel, type FakeImageSettings } from './fake-image-model.ts'
import { createFakeTextModel, type FakeTextSettings } from './fake-text-model.ts'

export interface FakeLoaderSettings {
  readonly clock: Clock
  readonly text?: Omit<FakeTextSettings, 'clock' | 'crash'>
  readonly image?: Omit<FakeImageSettings, 'clock' | 'crash'>
  /** Slots of every model; default 2. */
  readonly slots?: number
  /** Time a load takes; default 0. */
  readonly loadMs?: number
  /** Number of progress reports; default 1 = none. */
  readonly loadSteps?: number
  /** Reported memory of a loaded model; default its descriptor's bytes. */
  readonly memoryBytes?: (descriptor: ModelDescriptor) => number
  /** Whether this load fails; `attempt` counts from 1 per model. */
  readonly failsToLoad?: (modelId: string, attempt: number) => boolean
}

/** Loads fake models, remembers which are loaded, and crashes them on demand. */
export class FakeModelLoader implements ModelLoader {
  readonly #settings: FakeLoaderSettings
  readonly #attempts = new Map<string, number>()
  readonly #running = new Map<string, { readonly crash: () => void }>()

  constructor(settings: FakeLoaderSettings) {
    this.#settings = settings
  }

  /** Ids of the models in memory, in the order in which they were loaded. */
  get loaded(): readonly string[] {
    return [...this.#running.keys()]
  }

  /** Number of loads, including failures. */
  attempts(modelId: string): number {
    return this.#attempts.get(modelId) ?? 0
  }

  /** Takes a loaded model down as a crash of its process would: its requests fail and it is gone. */
  crash(modelId: string): void {
    this.#running.get(modelId)?.crash()
  }

  async loadText(descriptor: ModelDescriptor, options: LoadOptions): Promise<LoadedModel<TextModel>> {
    const { clock, text } = this.#settings
    return this.#load(descriptor, options, (crashed, crash) => {
      const model = createFakeTextModel({ clock, ...text, crash })
      return {
        contextLength: model.contextLength,
        generate: (request, options) => model.generate(request, { ...options, signal: AbortSignal.any([options.signal, crashed]) }),
        embed: (request, options) => model.embed(request, options),
        rank: model.rank,
        tokenize: model.tokenize,
        detokenize: model.detokenize,
      }
    })
  }

  async loadImage(descriptor: ModelDescriptor, options: LoadOptions): Promise<LoadedModel<ImageModel>> {
    const { clock, image } = this.#settings
    return this.#load(descriptor, options, (crashed, crash) => {
      const model = createFakeImageModel({ clock, ...image, crash })
      return { generate: (request, options) => model.generate(request, { ...options, signal: AbortSignal.any([options.signal, crashed]) }) }
    })
  }

  async #load<Model>(
    descriptor: ModelDescriptor,
    { signal, onProgress }: LoadOptions,
    create: (crashed: AbortSignal, crash: () => void) => Model,
  ): Promise<LoadedModel<Model>> {
    const { clock, slots = 2, loadMs, loadSteps = 1, memoryBytes, failsToLoad } = this.#settings
    const attempt = this.attempts(descriptor.id) + 1
    this.#attempts.set(descriptor.id, attempt)
    for (let step = 1; loadMs !== undefined && step <= loadSteps; step++) {
      await clock.wait(loadMs / loadSteps, { signal })
      if (loadSteps > 1) onProgress?.(step / loadSteps)
    }
    if (failsToLoad?.(descriptor.id, attempt)) throw new ServiceError('inference_failed', 'The fake model was set not to load.')
    const crashed = new AbortController()
    const exited = Promise.withResolvers<{ readonly reason: string }>()
    const leave = (reason: string) => {
      this.#running.delete(descriptor.id)
      crashed.abort(new ServiceError('inference_failed', 'The model stopped during this request; send it again.'))
      exited.resolve({ reason })
    }
    this.#running.set(descriptor.id, { crash: () => leave('crashed') })
    return {
      model: create(crashed.signal, () => leave('crashed')),
      slots,
      exited: exited.promise,
      memoryBytes: () => memoryBytes?.(descriptor) ?? descriptor.bytes,
      [Symbol.asyncDispose]: async () => leave('unloaded'),
    }
  }
}
