import type { CheckpointFacts } from '../../../core/model.ts'
import type { DiffusionPipeline, PipelineOptions } from '../diffusion-pipeline.ts'
import type { ExecutionProvider } from '../onnx/choose-provider.ts'
import { MappedFiles } from '../onnx/mapped-files.ts'
import { openWrittenGraph } from '../onnx/onnx-session.ts'
import { SessionTurns } from '../onnx/session-turns.ts'
import { safetyOff } from '../pictures/onnx-safety-checker.ts'
import { parseFlowSchedule } from '../schedulers/levels/flow-sigmas.ts'
import { parseSchedulerConfig } from '../schedulers/scheduler-config.ts'
import { parseVaeConfig } from '../vae/vae-config.ts'
import { type AdaptedParts, CheckpointAdapter } from './checkpoint-adapter.ts'
import { openCheckpointPredictor } from './checkpoint-predictor.ts'
import { findGraphTarget, type GraphTarget } from './graph/find-graph-target.ts'
import { type OpenNetwork, openVae } from './open-vae.ts'
import { readCheckpoint } from './parts/read-checkpoint.ts'
import { readTransformer } from './parts/transformer-parts.ts'
import { transformerRules } from './parts/transformer-rules.ts'
import { TransformerAdapter } from './transformer-adapter.ts'
import { openTransformerPredictor } from './transformer-predictor.ts'

/**
 * Loads a checkpoint, a single `.safetensors` file or a folder in diffusers' layout, into graphs written for its weights.
 * The weights stay in the file, which the system pages in as they are used.
 *
 * @param options.target The device and precision that graphs are written for; absent = those of the provider.
 * @throws {ServiceError} `inference_failed` naming the file or tensor that does not fit.
 */
export async function loadCheckpointPipeline(
  { weights: path, prediction, files = {} }: Pick<CheckpointFacts, 'weights' | 'prediction' | 'files'>,
  { threads, provider = 'cpu', refiner, inTurn = false, signal, target: wanted }: PipelineOptions & { readonly target?: GraphTarget },
): Promise<DiffusionPipeline> {
  await using stack = new AsyncDisposableStack()
  const transformer = await readTransformer(path, files)
  const parts = transformer ?? (await readCheckpoint(path))
  const target = wanted ?? (await chooseTarget(parts, provider))
  // The large text encoders of a transformer read a new text in a few seconds. Between texts, they and their buffers are not needed.
  const turns = provider === 'cpu' && transformer !== null ? new SessionTurns((part) => inTurn || part === 'texts') : null
  // A transformer in blocks has thousands of nodes that decode it: searching them took a third of its session's time.
  const isFused = provider === 'cpu' && transformer !== null
  const mappedFiles = new MappedFiles()
  const opener = (keepsMemory: boolean, { group, spins = true }: { group?: string; spins?: boolean } = {}): OpenNetwork => {
    return async (weights, part, write) => {
      signal.throwIfAborted()
      mappedFiles.add(weights.paths())
      const graph = { label: `${weights.label} (${part})`, write: () => write(target), folder: weights.folder }
      // Networks that keep their buffers all run in each step.
      const mapped = provider === 'cpu' ? { files: mappedFiles, part: group ?? (keepsMemory ? 'steps' : part) } : null
      const options = { threads, provider, keepsMemory, spins, isFused, mapped, ...(turns && { turns, part: group ?? part }) }
      const session = await openWrittenGraph(graph, options)
      return { session, [Symbol.asyncDispose]: () => session[Symbol.asyncDispose]() }
    }
  }
  const keep = (open: OpenNetwork): OpenNetwork => {
    return async (...network) => stack.use(await open(...network))
  }
  const [open, openOncePerPicture] = [opener(true), opener(false)]
  const kept = { open: keep(open), openOncePerPicture: keep(openOncePerPicture) }
  const vae = parseVaeConfig(parts.vaeConfig, parts.vae.label)
  const finish = (
    plain: AdaptedParts,
    adapter: TransformerAdapter | CheckpointAdapter,
    own: Pick<DiffusionPipeline, 'refiner' | 'scheduler'>,
  ): DiffusionPipeline => {
    const sessions = stack.move()
    return {
      ...plain,
      ...own,
      adapt: (assets, request) => adapter.adapt(assets, request),
      vae,
      safety: safetyOff,
      [Symbol.asyncDispose]: () => sessions.disposeAsync(),
    }
  }
  if (!('unet' in parts)) {
    const { spacing } = transformerRules[parts.family]
    // On a busy machine, a thread that spins between the short steps of a text takes half as much processor time as the work itself.
    const openText = opener(turns !== null, { group: 'texts', spins: false })
    const { base, ...predictor } = await openTransformerPredictor(parts, { open: kept.open, openText: keep(openText) })
    const plain = { base, ...(await openVae(parts.vae, kept.openOncePerPicture)) }
    const adapter = stack.use(new TransformerAdapter(parts, { plain, ...predictor, open, openText }))
    const scheduler = { ...parseSchedulerConfig({}), flow: parseFlowSchedule(parts.schedulerConfig, spacing) }
    return finish(plain, adapter, { refiner: null, scheduler })
  }
  const plain = {
    base: await openCheckpointPredictor(parts, kept),
    ...(await openVae(parts.vae, kept.openOncePerPicture)),
  }
  const adapter = stack.use(new CheckpointAdapter({ parts, plain, open, openOncePerPicture }))
  return finish(plain, adapter, {
    refiner: refiner === null ? null : await openCheckpointPredictor(await readCheckpoint(refiner), kept),
    scheduler: parseSchedulerConfig({ ...parts.schedulerConfig, ...(prediction === null ? {} : { prediction_type: prediction }) }),
  })
}

/** The attention of Stable Diffusion 2 exceeds the range of half precision. */
async function chooseTarget({ family }: Pick<CheckpointFacts, 'family'>, provider: ExecutionProvider): Promise<GraphTarget> {
  const target = await findGraphTarget(provider)
  return family === 'sd2' ? { ...target, precision: 'single' } : target
}
