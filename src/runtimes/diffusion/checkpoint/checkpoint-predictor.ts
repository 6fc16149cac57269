import { publicClipTokenizer } from '../prompts/clip-tokenizer.ts'
import type { TextPath } from '../prompts/encode-prompts.ts'
import { loadClipTokenizer } from '../prompts/load-tokenizer.ts'
import { ClipTextEncoder } from '../prompts/text-encoder.ts'
import { GuidedUnet } from '../unet/guided-unet.ts'
import { encodingWith, type NoisePredictor } from '../unet/noise-predictor.ts'
import { Unet } from '../unet/unet.ts'
import { writeTextEncoderGraph } from './networks/text-encoder-graph.ts'
import { writeUnetGraph } from './networks/unet-graph.ts'
import { readUnetShape } from './networks/unet-shape.ts'
import type { OpenNetwork } from './open-vae.ts'
import type { CheckpointParts, TextEncoderPart } from './parts/checkpoint-parts.ts'

/** Opens a checkpoint's UNet, and its text encoders, which run once per picture. */
export async function openCheckpointPredictor(
  parts: CheckpointParts,
  { open, openOncePerPicture }: { readonly open: OpenNetwork; readonly openOncePerPicture: OpenNetwork },
): Promise<NoisePredictor> {
  const normed = parts.family === 'sd15' || parts.family === 'sd2'
  const text: TextPath[] = []
  for (const part of parts.text) text.push(await openTextPath(part, normed, openOncePerPicture))
  const shape = readUnetShape(parts.unet, parts.unetOptions)
  const { session } = await open(parts.unet, 'unet', (target) =>
    writeUnetGraph(parts.unet, shape, { target, branches: null, controlled: false }),
  )
  parts.unet.refuseUnread()
  return {
    text,
    encode: encodingWith(text),
    readsWeights: true,
    unet: new GuidedUnet(new Unet(session)),
    additions: null,
    takesReferences: false,
    inpaints: shape.inputChannels > parts.vae.sizeOf('decoder.conv_in.weight', 1),
    latentStep: 1,
    guidance: shape.guidanceWidth === null ? 'over-one' : 'embedded',
    scored: shape.added?.timeIds === 5,
    zeroNegative: parts.zeroNegative,
    maxClipSkip: Math.min(...text.map(({ encoder }) => encoder.maxClipSkip)),
  }
}

async function openTextPath(
  { weights, reads, options, pad, tokenizer: own }: TextEncoderPart,
  normed: boolean,
  open: OpenNetwork,
): Promise<TextPath> {
  const tokenizer = own === null ? await publicClipTokenizer(pad) : await loadClipTokenizer(own.folder, own.name)
  const { session } = await open(weights, reads === 'first' ? 'text_encoder' : 'text_encoder_2', (target) =>
    writeTextEncoderGraph(weights, { ...options, normed, endId: tokenizer.endId }, { target, branches: null }),
  )
  return { reads, tokenizer, encoder: new ClipTextEncoder(session, { projected: options.projected, readsLast: normed }) }
}
