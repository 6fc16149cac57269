import type { DeviceChoice } from '../../core/compute-device.ts'
import type { ModelDescriptor } from '../../core/model.ts'
import type { FindAsset, FindUpscaler } from '../../core/ports/asset-files.ts'
import type { Clock } from '../../core/ports/clock.ts'
import type { LoadedModel, LoadOptions, ModelLoader } from '../../core/ports/model-loader.ts'
import type { Confinement } from './confine/confinement.ts'
import { modelNeeds } from './confine/model-needs.ts'
import type { EngineEvent } from './engine-messages.ts'
import { EngineProcess } from './engine-process.ts'
import { createImageProxy } from './image-proxy.ts'
import { createTextProxy } from './text-proxy.ts'
import { ThreadShares } from './thread-shares.ts'

/** `gpu` is `off` where it is left out. */
export interface ProcessLoaderSettings extends Partial<DeviceChoice> {
  /** Module that calls `serveTextEngine`. */
  readonly textEntry: URL
  /** Module that calls `serveImageEngine`. */
  readonly imageEntry: URL
  /** Threads that engines compute with on the processor, all of them together. */
  readonly engineThreads: number
  /** Sequences at once per text model. */
  readonly textSlots: number
  /** Confinement of engines; null (the default) = none. */
  readonly confinement?: Confinement | null
  /** Memory limit for all loaded models together; default none. */
  readonly memoryBytes?: number
  /** Looks up the files of assets that requests name; none where it is left out. */
  readonly findAsset?: FindAsset
  /** Looks up the files of upscalers that requests name; none where it is left out. */
  readonly findUpscaler?: FindUpscaler
  /** Folders of assets, readable for engines that may use them. */
  readonly assetFolders?: readonly string[]
  readonly clock: Clock
  readonly log: (event: EngineEvent) => void
  /** Kills an engine that takes longer to load; default 10 minutes. */
  readonly loadMs?: number
  /** Time after an abort until a busy engine is killed; default 2 minutes, for one long denoising step. */
  readonly abortMs?: number
}

/** Images are computed one request at a time: a second one would only halve the speed of the first. */
const imageSlots = 1

/** Loads every model into a child process of its own. */
export function createProcessModelLoader(settings: ProcessLoaderSettings): ModelLoader {
  const {
    textEntry,
    imageEntry,
    engineThreads: threads,
    textSlots,
    findAsset = () => undefined,
    findUpscaler = () => undefined,
    assetFolders = [],
    gpu = 'off',
    gpuDevice = null,
    confinement = null,
    memoryBytes = Number.MAX_SAFE_INTEGER / 4,
    clock,
    log,
    loadMs = 600_000,
    abortMs = 120_000,
  } = settings

  const shares = new ThreadShares(threads)
  const load = async <Model>(
    { descriptor, entry, slots }: { readonly descriptor: ModelDescriptor; readonly entry: URL; readonly slots: number },
    wrap: (engine: EngineProcess) => Model,
    options: LoadOptions,
  ): Promise<LoadedModel<Model>> => {
    const engine = await EngineProcess.start(
      { descriptor, threads, slots, gpu, gpuDevice, memoryBytes },
      {
        entry,
        needs: modelNeeds(descriptor, { gpu, threads, memoryBytes, assetFolders }),
        confinement,
        clock,
        log,
        loadMs,
        abortMs,
        shares,
      },
      options,
    )
    return {
      model: wrap(engine),
      slots,
      exited: engine.exited,
      memoryBytes: () => engine.memoryBytes,
      peakMemoryBytes: () => engine.peakMemoryBytes,
      [Symbol.asyncDispose]: () => engine[Symbol.asyncDispose](),
    }
  }

  return {
    loadText: (descriptor, options) =>
      load({ descriptor, entry: textEntry, slots: textSlots }, (engine) => createTextProxy(engine, { findAsset }), options),
    loadImage: (descriptor, options) =>
      load(
        { descriptor, entry: imageEntry, slots: imageSlots },
        (engine) => createImageProxy(engine, { findAsset, findUpscaler }),
        options,
      ),
  }
}
