import { familyGuidance } from '../../../core/checkpoint/family-guidance.ts'
import { unusableModel } from '../onnx/model-file.ts'
import { loadByteLevelTokenizer } from '../prompts/byte-level-tokenizer.ts'
import { publicClipTokenizer } from '../prompts/clip-vocabulary.ts'
import type { TextPath } from '../prompts/encode-prompts.ts'
import { ClipTextEncoder } from '../prompts/text-encoder.ts'
import { loadUnigramTokenizer } from '../prompts/unigram-tokenizer.ts'
import { encodingTexts, type TextModels } from '../transformer/encode-texts.ts'
import { LanguageModelEncoder, T5Encoder } from '../transformer/text-models.ts'
import { Transformer } from '../transformer/transformer.ts'
import { GuidedUnet } from '../unet/guided-unet.ts'
import type { NoisePredictor } from '../unet/noise-predictor.ts'
import { writeFluxGraph } from './networks/flux-graph.ts'
import { writeLanguageModelGraph } from './networks/language-model-graph.ts'
import { positionSide, writeSd3Graph } from './networks/sd3-graph.ts'
import { writeT5Graph } from './networks/t5-graph.ts'
import { writeTextEncoderGraph } from './networks/text-encoder-graph.ts'
import type { TransformerGraphOptions } from './networks/transformer-graph.ts'
import { writeZImageGraph } from './networks/z-image-graph.ts'
import type { OpenNetwork } from './open-network.ts'
import { encoderOptions } from './parts/read-single-file.ts'
import type { TransformerParts, TransformerText } from './parts/transformer-parts.ts'
import { transformerRules } from './parts/transformer-rules.ts'
import type { WeightTable } from './weights/weight-table.ts'

/** Writes the graph of a family's transformer. */
const writers = {
  'flux-dev': writeFluxGraph,
  'flux-schnell': writeFluxGraph,
  'z-image': writeZImageGraph,
  sd3: (weights: WeightTable, options: TransformerGraphOptions) => writeSd3Graph(weights, options),
} as const

/** Opens a transformer, and its text encoders, which run once per picture. */
export async function openTransformerPredictor(
  parts: TransformerParts,
  { open, openOncePerPicture }: { readonly open: OpenNetwork; readonly openOncePerPicture: OpenNetwork },
): Promise<NoisePredictor> {
  const { family, transformer } = parts
  const { rotation, maxTokens } = transformerRules[family]
  const models = await openTexts(parts, openOncePerPicture)
  const { session } = await open(transformer, 'transformer', (target) => writers[family](transformer, { target, branches: null }))
  const places = { family, rotation, positionSide: rotation === null ? positionSide(transformer) : 0 }
  return {
    text: [],
    encode: encodingTexts(models, maxTokens),
    readsWeights: false,
    unet: new GuidedUnet(new Transformer(session, places)),
    additions: null,
    inpaints: false,
    latentStep: 2,
    guidance: familyGuidance[family],
    scored: false,
    zeroNegative: false,
    maxClipSkip: models.kind === 'stacked' ? Math.min(...models.clips.map(({ encoder }) => encoder.maxClipSkip)) : 0,
  }
}

async function openTexts({ family, transformer, text }: TransformerParts, open: OpenNetwork): Promise<TextModels> {
  const find = (kind: TransformerText['kind']): TransformerText => {
    const found = text.find((each) => each.kind === kind)
    if (found === undefined) throw unusableModel(transformer.label, `lacks its text encoder (${kind})`)
    return found
  }
  switch (family) {
    case 'z-image':
      return { kind: 'language-model', model: await openLanguageModel(find('qwen3'), open) }
    case 'flux-dev':
    case 'flux-schnell':
      return {
        kind: 'pooled',
        clip: await openClip(find('clip-l'), { reads: 'first', projected: false }, open),
        t5: await openT5(find('t5'), open),
      }
    case 'sd3': {
      const words = text.find(({ kind }) => kind === 't5')
      return {
        kind: 'stacked',
        clips: [
          await openClip(find('clip-l'), { reads: 'first', projected: true }, open),
          await openClip(find('clip-g'), { reads: 'second', projected: true }, open),
        ],
        t5: words === undefined ? null : await openT5(words, open),
        width: transformer.sizeOf('context_embedder.weight', 1),
      }
    }
  }
}

async function openClip(
  { kind, weights }: TransformerText,
  { reads, projected }: { readonly reads: TextPath['reads']; readonly projected: boolean },
  open: OpenNetwork,
): Promise<TextPath> {
  const tokenizer = await publicClipTokenizer(kind === 'clip-l' ? '<|endoftext|>' : '!')
  const options = { ...encoderOptions(weights, kind === 'clip-l' ? 'clip' : 'open-clip', projected), pooledPlainly: !projected }
  const { session } = await open(weights, reads === 'first' ? 'text_encoder' : 'text_encoder_2', (target) =>
    writeTextEncoderGraph(weights, { ...options, normed: false, endId: tokenizer.endId }, { target, branches: null }),
  )
  return { reads, tokenizer, encoder: new ClipTextEncoder(session, { projected: true }) }
}

async function openT5({ weights, tokenizer }: TransformerText, open: OpenNetwork): Promise<T5Encoder> {
  const { session } = await open(weights, 't5', (target) => writeT5Graph(weights, { target, branches: null }))
  return new T5Encoder(session, await loadUnigramTokenizer(tokenizer ?? ''))
}

/** Z-Image reads the last hidden state but one. */
async function openLanguageModel({ weights, tokenizer }: TransformerText, open: OpenNetwork): Promise<LanguageModelEncoder> {
  const layers = [weights.count('layers.') - 1]
  const { session } = await open(weights, 'text_encoder', (target) => writeLanguageModelGraph(weights, layers, { target, branches: null }))
  return new LanguageModelEncoder(session, await loadByteLevelTokenizer(tokenizer ?? ''))
}
