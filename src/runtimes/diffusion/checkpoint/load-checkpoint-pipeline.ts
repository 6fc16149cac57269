import type { CheckpointFacts } from '../../../core/model.ts'
import type { DiffusionPipeline, PipelineOptions } from '../diffusion-pipeline.ts'
import { openWrittenGraph } from '../onnx/onnx-session.ts'
import { safetyOff } from '../pictures/safety-checker.ts'
import { parseSchedulerConfig } from '../schedulers/scheduler-config.ts'
import { parseVaeConfig } from '../vae/vae-config.ts'
import { VaeDecoder } from '../vae/vae-decoder.ts'
import { VaeEncoder } from '../vae/vae-encoder.ts'
import { openCheckpointPredictor } from './checkpoint-predictor.ts'
import { writeVaeDecoderGraph, writeVaeEncoderGraph } from './networks/vae-graph.ts'
import type { OpenNetwork } from './open-network.ts'
import { readCheckpoint } from './parts/read-checkpoint.ts'

/**
 * Loads a checkpoint, a single `.safetensors` file or a folder in diffusers' layout, into graphs written for its weights.
 * The weights stay in the file, which the system pages in as they are used.
 *
 * @throws {ServiceError} `inference_failed` naming the file or tensor that does not fit.
 */
export async function loadCheckpointPipeline(
  { weights: path, prediction }: Pick<CheckpointFacts, 'weights' | 'prediction'>,
  { threads, provider = 'cpu', refiner, signal }: PipelineOptions,
): Promise<DiffusionPipeline> {
  await using stack = new AsyncDisposableStack()
  const weightsAs = provider === 'cpu' ? 'mapped' : 'constant'
  const opener = (keepsMemory: boolean): OpenNetwork => {
    return async (weights, part, write) => {
      signal.throwIfAborted()
      const graph = { label: `${weights.label} (${part})`, bytes: write(weightsAs), folder: weights.folder }
      return stack.use(await openWrittenGraph(graph, { threads, provider, keepsMemory }))
    }
  }
  const open = opener(true)
  const openOncePerPicture = opener(false)
  const parts = await readCheckpoint(path)
  const pipeline = {
    base: await openCheckpointPredictor(parts, open),
    refiner: refiner === null ? null : await openCheckpointPredictor(await readCheckpoint(refiner), open),
    decoder: new VaeDecoder(await openOncePerPicture(parts.vae, 'vae_decoder', (as) => writeVaeDecoderGraph(parts.vae, as))),
    encoder: new VaeEncoder(await openOncePerPicture(parts.vae, 'vae_encoder', (as) => writeVaeEncoderGraph(parts.vae, as))),
    vae: parseVaeConfig(parts.vaeConfig, parts.vae.label),
    scheduler: parseSchedulerConfig({ ...parts.schedulerConfig, ...(prediction === null ? {} : { prediction_type: prediction }) }),
    safety: safetyOff,
  }
  const sessions = stack.move()
  return { ...pipeline, [Symbol.asyncDispose]: () => sessions.disposeAsync() }
}
