import { ServiceError } from '../../../core/error.ts'
import type { Abortable } from '../../../core/waiting.ts'
import type { OnnxSession } from '../onnx/onnx-session.ts'
import { encodingTexts, type TextModels } from '../transformer/encode-texts.ts'
import type { T5Encoder } from '../transformer/text-models.ts'
import type { GuidedUnet } from '../unet/guided-unet.ts'
import { isPlain, type UsedAssets } from '../used-assets.ts'
import { AdaptableText } from './adapt-text.ts'
import type { AdaptedParts } from './checkpoint-adapter.ts'
import { type Branched, BranchedNetwork } from './lora/branched-network.ts'
import { LoraBranches } from './lora/lora-branches.ts'
import { LoraCache } from './lora/lora-cache.ts'
import { t5Targets, textTargets } from './lora/lora-modules.ts'
import { changedBranches, mixLoras, type WeightedLora } from './lora/mix-loras.ts'
import type { Lora } from './lora/read-lora.ts'
import { transformerTargets } from './lora/transformer-modules.ts'
import { blockCount } from './networks/sd3-graph.ts'
import { writeT5Graph } from './networks/t5-graph.ts'
import type { OpenedNetwork, OpenNetwork } from './open-vae.ts'
import type { TransformerParts } from './parts/transformer-parts.ts'
import { transformerRules } from './parts/transformer-rules.ts'
import { clipParts, predictingWith, type TransformerPredictor, writeTransformerGraph } from './transformer-predictor.ts'
import type { WeightTable } from './weights/weight-table.ts'

/** Puts LoRAs into a transformer's pipeline, request by request. */
export class TransformerAdapter implements AsyncDisposable {
  readonly #parts: TransformerParts
  readonly #plain: AdaptedParts
  readonly #models: TextModels
  readonly #session: OnnxSession
  readonly #open: OpenNetwork
  readonly #loras: LoraCache
  readonly #text: ReadonlyMap<string, AdaptableText>
  /** The session without some blocks that was used last. */
  #skipping: { readonly network: OpenedNetwork; readonly key: string } | null = null
  readonly #branched: BranchedNetwork<GuidedUnet>
  /** null = the model has no T5. */
  readonly #t5: { readonly weights: WeightTable; readonly branched: BranchedNetwork<OnnxSession> } | null

  constructor(
    parts: TransformerParts,
    {
      plain,
      models,
      session,
      open,
      openText,
    }: Pick<TransformerPredictor, 'models' | 'session'> & {
      readonly plain: AdaptedParts
      readonly open: OpenNetwork
      readonly openText: OpenNetwork
    },
  ) {
    this.#parts = parts
    this.#plain = plain
    this.#models = models
    this.#session = session
    this.#open = open
    const clips = clipParts(parts)
    const { family, transformer, text } = parts
    this.#branched = new BranchedNetwork(
      (branches) => open(transformer, 'transformer', (target) => writeTransformerGraph(parts, { target, branches })),
      (each) => predictingWith(parts, each),
    )
    const weights = text.find(({ kind }) => kind === 't5')?.weights
    this.#t5 =
      weights === undefined
        ? null
        : {
            weights,
            branched: new BranchedNetwork(
              (branches) => openText(weights, 't5', (target) => writeT5Graph(weights, { target, branches })),
              (each) => each,
            ),
          }
    this.#loras = new LoraCache(
      new Map([
        ...transformerTargets(family, transformer),
        ...textTargets(clips),
        ...(weights === undefined ? [] : t5Targets(weights, clips.length)),
      ]),
    )
    const paths = models.kind === 'language-model' ? [] : models.kind === 'pooled' ? [models.clip] : models.clips
    this.#text = new Map(
      clips.flatMap((part) => {
        const path = paths.find(({ reads }) => reads === part.reads)
        return path === undefined ? [] : [[part.reads, new AdaptableText(part, { plain: path, normed: false, open: openText })]]
      }),
    )
  }

  /**
   * The parts with these LoRAs in them.
   *
   * @throws {ServiceError} `unsupported` for a LoRA that does not fit the model, `inference_failed` for a damaged file.
   */
  async adapt(assets: UsedAssets, { signal }: Abortable): Promise<AdaptedParts> {
    if (isPlain(assets)) return this.#plain
    const loras: WeightedLora[] = []
    for (const { file, weight } of assets.loras) loras.push({ lora: await this.#loras.get(file, { signal }), weight })
    for (const { lora } of loras) refuseEmbeddings(lora)
    const { base } = this.#plain
    const { family, transformer } = this.#parts
    const wanted = changedBranches(loras, 'unet')
    const adapted = wanted.size === 0 ? null : await this.#branched.with(wanted)
    const { skippedLayers } = assets
    const unet = skippedLayers === undefined ? adapted?.model : await this.#skip(skippedLayers, adapted)
    const feeds = adapted && mixLoras(loras, { network: 'unet', weights: transformer, branches: adapted.branches })
    return {
      ...this.#plain,
      base: {
        ...base,
        ...(unet && { unet }),
        ...(adapted && { additions: { feeds: async () => feeds ?? {} } }),
        encode: encodingTexts(await this.#adaptTexts(loras), transformerRules[family].maxTokens),
      },
    }
  }

  /** Predicts with and without some blocks, both with the same LoRAs. */
  async #skip(layers: readonly number[], adapted: Branched<GuidedUnet> | null): Promise<GuidedUnet> {
    const parts = this.#parts
    const count = blockCount(parts.transformer)
    const tooHigh = layers.find((layer) => layer >= count)
    if (tooHigh !== undefined)
      throw new ServiceError('unsupported', `This model has blocks 0 to ${count - 1}, not ${tooHigh}.`, { param: 'skip_guidance_layers' })
    const key = JSON.stringify([[...layers].sort(), [...(adapted?.branches ?? [])].sort()])
    if (this.#skipping?.key !== key) {
      const branches = adapted === null ? null : new LoraBranches(adapted.branches)
      const network = await this.#open(parts.transformer, 'transformer', (target) =>
        writeTransformerGraph(parts, { target, branches, skipped: layers }),
      )
      await this.#skipping?.network[Symbol.asyncDispose]()
      this.#skipping = { network, key }
    }
    return predictingWith(parts, adapted?.session ?? this.#session, this.#skipping.network.session)
  }

  async #adaptTexts(loras: readonly WeightedLora[]): Promise<TextModels> {
    const models = this.#models
    const [first, second] = [await this.#text.get('first')?.adapt(loras), await this.#text.get('second')?.adapt(loras)]
    if (models.kind === 'language-model') return models
    const t5 = models.t5 && (await this.#adaptT5(models.t5, loras))
    if (models.kind === 'stacked') return { ...models, clips: [first ?? models.clips[0], second ?? models.clips[1]], t5 }
    return { ...models, clip: first ?? models.clip, t5: t5 ?? models.t5 }
  }

  async #adaptT5(plain: T5Encoder, loras: readonly WeightedLora[]): Promise<T5Encoder> {
    const wanted = changedBranches(loras, 't5')
    if (this.#t5 === null || wanted.size === 0) return plain
    const { weights, branched } = this.#t5
    const { session, branches } = await branched.with(wanted)
    return plain.adapted(session, mixLoras(loras, { network: 't5', weights, branches }))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#skipping?.network[Symbol.asyncDispose]()
    await this.#branched[Symbol.asyncDispose]()
    await this.#t5?.branched[Symbol.asyncDispose]()
    for (const text of this.#text.values()) await text[Symbol.asyncDispose]()
  }
}

function refuseEmbeddings({ name, embeddings }: Lora): void {
  const [first] = embeddings
  if (first === undefined) return
  const message = `The LoRA ${name} contains a textual inversion ("${first.trigger}"), which this model does not support; use another LoRA.`
  throw new ServiceError('unsupported', message, { param: 'loras' })
}
