import { familyGuidance } from '../../../core/images/guidance-scales.ts'
import { takesReferences } from '../../../core/images/references.ts'
import { unusableModel } from '../onnx/model-file.ts'
import type { OnnxSession } from '../onnx/onnx-session.ts'
import { loadByteLevelTokenizer } from '../prompts/byte-level-tokenizer.ts'
import { publicClipTokenizer } from '../prompts/clip-tokenizer.ts'
import type { TextPath } from '../prompts/encode-prompts.ts'
import { ClipTextEncoder } from '../prompts/text-encoder.ts'
import { loadUnigramTokenizer } from '../prompts/unigram-tokenizer.ts'
import { encodingTexts, type TextModels } from '../transformer/encode-texts.ts'
import { chatTokens, LanguageModelEncoder, T5Encoder } from '../transformer/text-models.ts'
import { Transformer } from '../transformer/transformer.ts'
import { GuidedUnet } from '../unet/guided-unet.ts'
import type { NoisePredictor } from '../unet/noise-predictor.ts'
import { writeFluxGraph } from './networks/flux-graph.ts'
import { writeFlux2Graph } from './networks/flux2-graph.ts'
import { writeLanguageModelGraph } from './networks/language-model-graph.ts'
import { positionSide, writeSd3Graph } from './networks/sd3-graph.ts'
import { writeT5Graph } from './networks/t5-graph.ts'
import { writeTextEncoderGraph } from './networks/text-encoder-graph.ts'
import type { TransformerGraphOptions } from './networks/transformer-graph.ts'
import { writeZImageGraph } from './networks/z-image-graph.ts'
import type { OpenNetwork } from './open-vae.ts'
import type { TextEncoderPart } from './parts/checkpoint-parts.ts'
import { encoderOptions } from './parts/read-single-file.ts'
import type { TransformerParts, TransformerText } from './parts/transformer-parts.ts'
import { transformerRules } from './parts/transformer-rules.ts'
import type { WeightTable } from './weights/weight-table.ts'

/** Writes the graph of a family's transformer. */
const writers = {
  'flux-dev': writeFluxGraph,
  'flux-schnell': writeFluxGraph,
  'flux2-klein': writeFlux2Graph,
  'z-image': writeZImageGraph,
  sd3: writeSd3Graph,
} as const

/** A predictor with the encoders that its texts go through. */
export interface TransformerPredictor {
  readonly base: NoisePredictor
  readonly models: TextModels
  readonly session: OnnxSession
}

/** Writes the graph of a transformer. */
export function writeTransformerGraph({ family, transformer }: TransformerParts, options: TransformerGraphOptions): Uint8Array {
  return writers[family](transformer, options)
}

/** Predicts with a transformer's session, and with one without some of its blocks. */
export function predictingWith(
  { family, transformer }: TransformerParts,
  session: OnnxSession,
  skipping: OnnxSession | null = null,
): GuidedUnet {
  const { rotation } = transformerRules[family]
  const places = { family, rotation, positionSide: rotation === null ? positionSide(transformer) : 0 }
  return new GuidedUnet(new Transformer(session, places), skipping && new Transformer(skipping, places))
}

/** Opens a transformer and its text encoders. */
export async function openTransformerPredictor(
  parts: TransformerParts,
  { open, openText }: { readonly open: OpenNetwork; readonly openText: OpenNetwork },
): Promise<TransformerPredictor> {
  const { family, transformer } = parts
  const models = await openTexts(parts, openText)
  const { session } = await open(transformer, 'transformer', (target) => writeTransformerGraph(parts, { target, branches: null }))
  const base: NoisePredictor = {
    text: [],
    encode: encodingTexts(models, transformerRules[family].maxTokens),
    readsWeights: false,
    unet: predictingWith(parts, session),
    additions: null,
    inpaints: false,
    takesReferences: takesReferences(family),
    latentStep: family === 'flux2-klein' ? 1 : 2,
    guidance: familyGuidance[family],
    scored: false,
    zeroNegative: false,
    maxClipSkip: models.kind === 'stacked' ? Math.min(...models.clips.map(({ encoder }) => encoder.maxClipSkip)) : 0,
  }
  return { base, models, session }
}

async function openTexts(parts: TransformerParts, open: OpenNetwork): Promise<TextModels> {
  const { family, transformer, text } = parts
  const find = (kind: TransformerText['kind']): TransformerText => {
    const found = text.find((each) => each.kind === kind)
    if (found === undefined) throw unusableModel(transformer.label, `lacks its text encoder (${kind})`)
    return found
  }
  switch (family) {
    case 'flux2-klein':
    case 'z-image':
      return { kind: 'language-model', model: await openLanguageModel(find('qwen3'), family, open) }
    case 'flux-dev':
    case 'flux-schnell':
      return {
        kind: 'pooled',
        clip: await openClip(parts, 'first', open),
        t5: await openT5(find('t5'), open),
      }
    case 'sd3': {
      const words = text.find(({ kind }) => kind === 't5')
      return {
        kind: 'stacked',
        clips: [await openClip(parts, 'first', open), await openClip(parts, 'second', open)],
        t5: words === undefined ? null : await openT5(words, open),
        width: transformer.sizeOf('context_embedder.weight', 1),
      }
    }
  }
}

/** CLIP's encoders of a model, as those of a UNet are described. */
export function clipParts({ family, text }: TransformerParts): readonly TextEncoderPart[] {
  const projected = family === 'sd3'
  return text.flatMap(({ kind, weights }): readonly TextEncoderPart[] => {
    if (kind !== 'clip-l' && kind !== 'clip-g') return []
    const isFirst = kind === 'clip-l'
    const options = { ...encoderOptions(weights, isFirst ? 'clip' : 'open-clip', projected), pooledPlainly: !projected }
    return [{ weights, options, reads: isFirst ? 'first' : 'second', pad: isFirst ? '<|endoftext|>' : '!', tokenizer: null }]
  })
}

async function openClip(parts: TransformerParts, reads: TextPath['reads'], open: OpenNetwork): Promise<TextPath> {
  const part = clipParts(parts).find((each) => each.reads === reads)
  if (part === undefined) throw unusableModel(parts.transformer.label, 'lacks a text encoder (CLIP)')
  const { weights, options, pad } = part
  const tokenizer = await publicClipTokenizer(pad)
  const { session } = await open(weights, reads === 'first' ? 'text_encoder' : 'text_encoder_2', (target) =>
    writeTextEncoderGraph(weights, { ...options, normed: false, endId: tokenizer.endId }, { target, branches: null }),
  )
  return { reads, tokenizer, encoder: new ClipTextEncoder(session, { projected: true }) }
}

async function openT5({ weights, tokenizer: folder }: TransformerText, open: OpenNetwork): Promise<T5Encoder> {
  const tokenizer = await loadUnigramTokenizer(folder ?? '')
  refuseLarger(tokenizer, weights, 'shared.weight')
  const { session } = await open(weights, 't5', (target) => writeT5Graph(weights, { target, branches: null }))
  return new T5Encoder(session, tokenizer)
}

/** A tokenizer of another model may have tokens that the encoder has no row for. */
function refuseLarger({ size }: { readonly size: number }, weights: WeightTable, table: string): void {
  const rows = weights.sizeOf(table, 0)
  if (size <= rows) return
  throw unusableModel(weights.label, `has ${rows} tokens, but its tokenizer has ${size}; use the tokenizer of the model`)
}

/** FLUX.2 klein's hidden states, side by side. */
const kleinLayers = [9, 18, 27]

/** Z-Image reads the last hidden state but one. */
async function openLanguageModel(
  { weights, tokenizer: folder }: TransformerText,
  family: 'flux2-klein' | 'z-image',
  open: OpenNetwork,
): Promise<LanguageModelEncoder> {
  const tokenizer = await loadByteLevelTokenizer(folder ?? '')
  refuseLarger(tokenizer, weights, 'embed_tokens.weight')
  const isKlein = family === 'flux2-klein'
  const unknown = [...chatTokens, ...(isKlein ? ['<think>'] : [])].find((token) => !tokenizer.has(token))
  if (unknown !== undefined) throw unusableModel('tokenizer.json', `lacks the token ${unknown}; use the tokenizer of Qwen3`)
  // The first of several shards has fewer layers and lacks the norm behind the last.
  if (!isKlein) weights.get('norm.weight')
  const layers = isKlein ? kleinLayers : [weights.count('layers.') - 1]
  const { session } = await open(weights, 'text_encoder', (target) => writeLanguageModelGraph(weights, layers, { target, branches: null }))
  return new LanguageModelEncoder(session, tokenizer, { padded: isKlein })
}
