import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { loadClipTokenizer } from './clip-tokenizer.ts'
import type { TextPath } from './encode-prompts.ts'
import { readJsonObject, readOptionalJsonObject, unusableModel } from './model-file.ts'
import { type OnnxSession, openOnnxSession } from './onnx-session.ts'
import { parseSchedulerConfig, type SchedulerConfig } from './scheduler-config.ts'
import { ClipTextEncoder } from './text-encoder.ts'
import { Unet } from './unet.ts'
import { parseVaeConfig, type VaeConfig } from './vae-config.ts'
import { VaeDecoder } from './vae-decoder.ts'
import { VaeEncoder } from './vae-encoder.ts'

/** The parts of a loaded SDXL model; everything about it was read from its folder. */
export interface DiffusionPipeline extends AsyncDisposable {
  readonly text: readonly TextPath[]
  readonly unet: Unet
  readonly decoder: VaeDecoder
  /** null when the folder has none: no image-to-image. */
  readonly encoder: VaeEncoder | null
  readonly vae: VaeConfig
  readonly scheduler: SchedulerConfig
  /** Whether an absent negative prompt means zeros instead of the encoded empty text. */
  readonly zeroNegative: boolean
  /** Whether the UNet is told a score as a refiner is. */
  readonly isRefiner: boolean
}

/**
 * Loads an SDXL model in the official ONNX layout.
 *
 * @throws {ServiceError} `inference_failed` naming the file, input or shape that does not fit.
 */
export async function loadDiffusionPipeline(
  folder: string,
  { threads, signal }: { readonly threads: number; readonly signal: AbortSignal },
): Promise<DiffusionPipeline> {
  await using stack = new AsyncDisposableStack()
  const open = async (file: string): Promise<OnnxSession> => {
    signal.throwIfAborted()
    return stack.use(await openOnnxSession(folder, file, { threads }))
  }
  const index = await readOptionalJsonObject(folder, 'model_index.json')
  const scheduler = parseSchedulerConfig(await readJsonObject(folder, 'scheduler/scheduler_config.json'))
  const vae = parseVaeConfig(await readOptionalJsonObject(folder, 'vae_decoder/config.json'), 'vae_decoder/config.json')
  const text: TextPath[] = []
  for (const path of [
    { reads: 'first', tokenizer: 'tokenizer', encoder: 'text_encoder' },
    { reads: 'second', tokenizer: 'tokenizer_2', encoder: 'text_encoder_2' },
  ] as const) {
    const file = `${path.encoder}/model.onnx`
    if (path.reads === 'first' && !(await exists(join(folder, file)))) continue
    const tokenizer = await loadClipTokenizer(folder, path.tokenizer)
    const encoder = new ClipTextEncoder(await open(file), { projected: path.reads === 'second' })
    text.push({ tokenizer, encoder, reads: path.reads })
  }
  const unet = new Unet(await open('unet/model.onnx'))
  if (unet.inputChannels !== null && unet.inputChannels !== vae.channels)
    throw unusableModel('unet/model.onnx', `takes ${unet.inputChannels} channels in "sample" instead of the VAE's ${vae.channels}`)
  const decoder = new VaeDecoder(await open('vae_decoder/model.onnx'))
  const encoder = (await exists(join(folder, 'vae_encoder/model.onnx'))) ? new VaeEncoder(await open('vae_encoder/model.onnx')) : null
  const sessions = stack.move()
  return {
    text,
    unet,
    decoder,
    encoder,
    vae,
    scheduler,
    zeroNegative: index.force_zeros_for_empty_prompt !== false,
    isRefiner: unet.timeIdCount === 5,
    [Symbol.asyncDispose]: () => sessions.disposeAsync(),
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await access(path)
    return true
  } catch {
    return false
  }
}
