import type { GuidanceKind } from '../../../core/images/guidance-scales.ts'
import type { Abortable } from '../../../core/waiting.ts'
import { countHalvings } from '../onnx/count-halvings.ts'
import { fileExists, readOptionalJsonObject, unusableModel } from '../onnx/model-file.ts'
import type { OnnxSession } from '../onnx/onnx-session.ts'
import { encodePrompts, type PromptEncoding, type PromptsToEncode, type TextPath } from '../prompts/encode-prompts.ts'
import { loadClipTokenizer } from '../prompts/load-tokenizer.ts'
import { ClipTextEncoder } from '../prompts/text-encoder.ts'
import { GuidedUnet } from './guided-unet.ts'
import { Unet, type UnetAdditions } from './unet.ts'

/** Encodes the texts of a drawing. */
export type EncodeTexts = (prompts: PromptsToEncode, options: Abortable) => Promise<PromptEncoding>

/** Encodes texts with CLIP's encoders. */
export function encodingWith(text: readonly TextPath[]): EncodeTexts {
  return (prompts, options) => encodePrompts(text, prompts, options)
}

/** Text encoders and the network that predicts noise or velocity: what a base model and a refiner each have of their own. */
export interface NoisePredictor {
  /** CLIP's encoders, which assets may change: two for SDXL's base model, only the second for its refiner, none for a transformer. */
  readonly text: readonly TextPath[]
  readonly encode: EncodeTexts
  /** Whether weights in prompts, such as `(word:1.2)`, count; else they are part of the text. */
  readonly readsWeights: boolean
  readonly unet: GuidedUnet
  /** LoRAs and ControlNets; null = none. */
  readonly additions: UnetAdditions | null
  /** Whether the UNet is shown a mask and a masked picture beside the latents, and draws nothing without. */
  readonly inpaints: boolean
  /** Whether it sees other pictures beside its drawing. */
  readonly takesReferences: boolean
  /** Latent sizes must be multiples of this: the UNet halves them that often on its way down. */
  readonly latentStep: number
  readonly guidance: GuidanceKind
  /** Whether the UNet takes a score, as a refiner does, instead of a target size. */
  readonly scored: boolean
  /** Whether an absent negative prompt means zeros instead of the encoded empty text. */
  readonly zeroNegative: boolean
  /** The largest clip skip that leaves every encoder a layer to read. */
  readonly maxClipSkip: number
}

/** Opens a file of the folder as a session. */
export type OpenSession = (file: string) => Promise<OnnxSession>

const unetFile = 'unet/model.onnx'

const textFolders = [
  { reads: 'first', tokenizer: 'tokenizer', encoder: 'text_encoder' },
  { reads: 'second', tokenizer: 'tokenizer_2', encoder: 'text_encoder_2' },
] as const

/** @throws {ServiceError} `inference_failed` naming the file, input or shape that does not fit. */
export async function loadNoisePredictor(
  { folder, open, latentChannels }: { readonly folder: string; readonly open: OpenSession; readonly latentChannels: number },
  { signal }: Abortable,
): Promise<NoisePredictor> {
  const index = await readOptionalJsonObject(folder, 'model_index.json')
  const text: TextPath[] = []
  for (const { reads, tokenizer, encoder } of textFolders) {
    const file = `${encoder}/model.onnx`
    if (reads === 'first' && !(await fileExists(folder, file))) continue
    const session = await open(file)
    text.push({
      reads,
      tokenizer: await loadClipTokenizer(folder, tokenizer),
      encoder: new ClipTextEncoder(session, { projected: reads === 'second' }),
    })
  }
  const unet = new Unet(await open(unetFile))
  checkShapes(unet, text, latentChannels)
  return {
    text,
    encode: encodingWith(text),
    readsWeights: true,
    unet: new GuidedUnet(unet),
    additions: null,
    takesReferences: false,
    inpaints: false,
    latentStep: 2 ** (await countHalvings(folder, unetFile, { signal })),
    guidance: unet.guidanceWidth === null ? 'over-one' : 'embedded',
    scored: unet.timeIdCount === 5,
    zeroNegative: index.force_zeros_for_empty_prompt !== false,
    maxClipSkip: Math.min(...text.map(({ encoder }) => encoder.maxClipSkip)),
  }
}

function checkShapes(unet: Unet, text: readonly TextPath[], latentChannels: number): void {
  const file = unetFile
  if (unet.inputChannels !== null && unet.inputChannels !== latentChannels)
    throw unusableModel(file, `takes ${unet.inputChannels} channels in "sample", but the VAE has ${latentChannels}`)
  const widths = text.map(({ encoder }) => encoder.width)
  const width = widths.reduce<number | null>((total, each) => (total === null || each === null ? null : total + each), 0)
  if (unet.contextWidth !== null && width !== null && unet.contextWidth !== width)
    throw unusableModel(
      file,
      `takes "encoder_hidden_states" of width ${unet.contextWidth}, but the text encoders give ${widths.join(' + ')}`,
    )
  const pooled = text.at(-1)?.encoder.pooledWidth ?? null
  if (unet.pooledWidth !== null && pooled !== null && unet.pooledWidth !== pooled)
    throw unusableModel(file, `takes "text_embeds" of width ${unet.pooledWidth}, but the second text encoder gives ${pooled}`)
}
