import type { Abortable } from '../../core/waiting.ts'
import type { ExecutionProvider } from './onnx/choose-provider.ts'
import { fileExists, readJsonObject, readOptionalJsonObject } from './onnx/model-file.ts'
import { openOnnxSession, openUpcast } from './onnx/onnx-session.ts'
import { loadSafetyChecker, type SafetyChecker } from './pictures/onnx-safety-checker.ts'
import type { PixelSource } from './pictures/rgb-image.ts'
import { parseSchedulerConfig, type SchedulerConfig } from './schedulers/scheduler-config.ts'
import { loadNoisePredictor, type NoisePredictor, type OpenSession } from './unet/noise-predictor.ts'
import type { UsedAssets } from './used-assets.ts'
import { UpcastingSession } from './vae/upcasting-session.ts'
import { parseVaeConfig, type VaeConfig } from './vae/vae-config.ts'
import { VaeDecoder } from './vae/vae-decoder.ts'
import { VaeEncoder } from './vae/vae-encoder.ts'

/** The parts of a loaded SDXL model; everything about it was read from its folder. */
export interface DiffusionPipeline extends AsyncDisposable {
  readonly base: NoisePredictor
  /** Takes over the last steps; null = none installed. */
  readonly refiner: NoisePredictor | null
  readonly decoder: VaeDecoder
  /** null when the folder has none: no image-to-image. */
  readonly encoder: VaeEncoder | null
  readonly vae: VaeConfig
  /** The VAE that a drawing uses instead of the model's own, for errors; absent = none. */
  readonly vaeSource?: PixelSource
  readonly scheduler: SchedulerConfig
  readonly safety: SafetyChecker
  /** The parts with a drawing's assets in them; null = an export, which takes none. */
  readonly adapt: ((assets: UsedAssets, options: Abortable) => Promise<Pick<DiffusionPipeline, 'base' | 'decoder' | 'encoder'>>) | null
}

export interface PipelineOptions {
  /** Threads of the tensor runtime. */
  readonly threads: number
  /** `cpu` where it is left out. */
  readonly provider?: ExecutionProvider
  /** Folder of a refiner model; null = none. */
  readonly refiner: string | null
  /** Whether one part makes room for the next, where that is possible; not where it is left out. */
  readonly inTurn?: boolean
  readonly signal: AbortSignal
}

/**
 * Loads an SDXL model in the official ONNX layout.
 *
 * @throws {ServiceError} `inference_failed` naming the file, input or shape that does not fit.
 */
export async function loadDiffusionPipeline(
  folder: string,
  { threads, provider = 'cpu', refiner, signal }: PipelineOptions,
): Promise<DiffusionPipeline> {
  await using stack = new AsyncDisposableStack()
  const opener = (root: string, keepsMemory = true): OpenSession => {
    return async (file) => {
      signal.throwIfAborted()
      return stack.use(await openOnnxSession(root, file, { threads, provider, keepsMemory }))
    }
  }
  const open = opener(folder)
  const openOncePerPicture = opener(folder, false)
  const scheduler = parseSchedulerConfig(await readJsonObject(folder, 'scheduler/scheduler_config.json'))
  const vae = parseVaeConfig(await readOptionalJsonObject(folder, 'vae_decoder/config.json'), 'vae_decoder/config.json')
  const openVaeHalf = async (file: string): Promise<UpcastingSession> => {
    const upcast = () => openUpcast(folder, file, { threads, provider, keepsMemory: false })
    return stack.use(new UpcastingSession(await openOncePerPicture(file), upcast, vae.overflows))
  }
  const parts = {
    base: await loadNoisePredictor({ folder, open, latentChannels: vae.channels }, { signal }),
    refiner:
      refiner === null
        ? null
        : await loadNoisePredictor({ folder: refiner, open: opener(refiner), latentChannels: vae.channels }, { signal }),
    decoder: new VaeDecoder(await openVaeHalf('vae_decoder/model.onnx')),
    encoder: (await fileExists(folder, 'vae_encoder/model.onnx')) ? new VaeEncoder(await openVaeHalf('vae_encoder/model.onnx')) : null,
    safety: await loadSafetyChecker(folder, open),
  }
  const sessions = stack.move()
  return { ...parts, vae, scheduler, adapt: null, [Symbol.asyncDispose]: () => sessions.disposeAsync() }
}
