import { readEnvironment, readMachine } from '../../config/process-environment.ts'
import type { Config } from '../../config/settings.ts'
import { listUpscalers } from '../../core/images/upscalers.ts'
import type { Clock } from '../../core/ports/clock.ts'
import type { ModelCatalog } from '../../core/ports/model-catalog.ts'
import type { ModelLoader } from '../../core/ports/model-loader.ts'
import type { Abortable } from '../../core/waiting.ts'
import type { createModelPool } from '../../residency/model-pool.ts'
import { findConfinement } from '../../runtimes/process/confine/find-confinement.ts'
import { PictureInspector } from '../../runtimes/process/picture-inspector.ts'
import { createProcessModelLoader } from '../../runtimes/process/process-model-loader.ts'
import { serverChanged, tokensUncounted } from '../../telemetry/model-events.ts'
import { enginesConfined } from '../../telemetry/service-events.ts'
import type { Telemetry } from '../../telemetry/telemetry.ts'
import { dataLayout } from '../data-layout.ts'
import { findGpuMemory, mayHaveGpu } from '../devices/devices.ts'
import { observeEngines } from '../observe/observe-events.ts'
import type { WaysOut } from '../ways-out.ts'
import { allModelFolders } from './open-models.ts'
import { reachUpstreams, ServerHealth } from './reach-upstreams.ts'

/** The engines: models in child processes and on servers, and the process that encodes pictures. */
export interface Engines extends Disposable {
  readonly loader: ModelLoader
  readonly pictures: PictureInspector
  readonly servers: ServerHealth
  /** Memory limits of the engines. */
  readonly limits: Parameters<typeof createModelPool>[0]['limits']
}

/** Prepares the engines; processes start with the first model or picture. */
export async function openEngines(
  config: Config,
  {
    nameable,
    clock,
    telemetry,
    waysOut,
  }: { readonly nameable: ModelCatalog; readonly clock: Clock; readonly telemetry: Telemetry; readonly waysOut: WaysOut },
  { signal }: Abortable,
): Promise<Engines> {
  const confinement = await findConfinement({ environment: readEnvironment() })
  const { closeFiles, closeNetwork, limitMemory } = confinement
  enginesConfined(telemetry, { files: closeFiles !== null, network: closeNetwork !== null, memory: limitMemory !== null })
  const { threads, textSlots, gpuDevice, memoryBytes } = config.models
  const gpu = config.models.gpu === 'auto' && !mayHaveGpu() ? 'off' : config.models.gpu
  const log = observeEngines(telemetry)
  const processes = createProcessModelLoader({
    textEntry: new URL('../text-engine.ts', import.meta.url),
    imageEntry: new URL('../image-engine.ts', import.meta.url),
    engineThreads: threads,
    textSlots,
    findAsset: (kind, name) => nameable.findAsset(kind, name),
    findUpscaler: (name) => listUpscalers(nameable).find(({ id }) => id === name)?.upscaler,
    assetFolders: [...allModelFolders(config), dataLayout(config.dataFolder).assetsFolder],
    gpu,
    gpuDevice,
    confinement,
    memoryBytes,
    clock,
    log,
  })
  const pictures = new PictureInspector({ entry: new URL('../picture-engine.ts', import.meta.url), confinement, clock, log })
  const servers = new ServerHealth()
  const loader = reachUpstreams(processes, {
    health: servers,
    onServer: (change) => serverChanged(telemetry, change),
    onUncounted: (modelId) => tokensUncounted(telemetry, { modelId }),
    traceparent: () => telemetry.traces.traceparent(),
    findRoute: waysOut.findRoute,
  })
  const limits = {
    ...config.models,
    machineBytes: readMachine().memoryBytes,
    gpuMemoryBytes: await findGpuMemory({ ...config.models, gpu }, { signal }),
    waitLimitMs: config.requests.waitLimitMs,
    accountShare: config.accounts.share,
  }
  return { loader, pictures, servers, limits, [Symbol.dispose]: () => pictures[Symbol.dispose]() }
}
