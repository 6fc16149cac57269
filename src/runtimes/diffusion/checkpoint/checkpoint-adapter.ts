import type { Abortable } from '../../../core/waiting.ts'
import type { DiffusionPipeline } from '../diffusion-pipeline.ts'
import { encodingWith } from '../unet/noise-predictor.ts'
import { isPlain, type UsedAssets } from '../used-assets.ts'
import { AdaptableText } from './adapt-text.ts'
import { AdaptableUnet } from './adapt-unet.ts'
import { type Controlnet, ControlSum, openControlnet, type RunningControlnet } from './control/controlnet.ts'
import { readEmbedding, type TextualInversion, type TriggerWord, withTriggerWords } from './embeddings/read-embedding.ts'
import { LoraCache } from './lora/lora-cache.ts'
import { loraTargets } from './lora/lora-modules.ts'
import type { WeightedLora } from './lora/mix-loras.ts'
import { type OpenedVae, type OpenNetwork, openVae } from './open-vae.ts'
import type { CheckpointParts } from './parts/checkpoint-parts.ts'
import { readVae } from './parts/read-checkpoint.ts'
import { RecentNetworks } from './recent-networks.ts'

/** The parts of a pipeline that assets change. */
export type AdaptedParts = Pick<DiffusionPipeline, 'base' | 'decoder' | 'encoder'>

/** ControlNets and VAEs of their own files that stay in memory between requests. */
const maxControlnets = 2
const maxVaes = 1

export interface AdapterSources {
  readonly parts: CheckpointParts
  readonly plain: AdaptedParts
  readonly open: OpenNetwork
  readonly openOncePerPicture: OpenNetwork
}

/** Puts LoRAs, textual inversions, ControlNets and another VAE into a checkpoint's pipeline, request by request. */
export class CheckpointAdapter implements AsyncDisposable {
  readonly #plain: AdaptedParts
  readonly #parts: CheckpointParts
  readonly #open: OpenNetwork
  readonly #openOncePerPicture: OpenNetwork
  readonly #unet: AdaptableUnet
  readonly #text: readonly AdaptableText[]
  readonly #loras: LoraCache
  readonly #controlnets = new RecentNetworks<Controlnet>(maxControlnets)
  readonly #vaes = new RecentNetworks<OpenedVae>(maxVaes)

  constructor({ parts, plain, open, openOncePerPicture }: AdapterSources) {
    this.#plain = plain
    this.#parts = parts
    this.#open = open
    this.#openOncePerPicture = openOncePerPicture
    this.#unet = new AdaptableUnet(parts, open)
    const normed = parts.family === 'sd15' || parts.family === 'sd2'
    this.#text = plain.base.text.flatMap((path) => {
      const part = parts.text.find(({ reads }) => reads === path.reads)
      return part === undefined ? [] : [new AdaptableText(part, { plain: path, normed, open: openOncePerPicture })]
    })
    this.#loras = new LoraCache(loraTargets(parts))
  }

  /**
   * The parts with these assets in them.
   *
   * @throws {ServiceError} `unsupported` for an asset that does not fit the model, `inference_failed` for a damaged file.
   */
  async adapt(assets: UsedAssets, { signal }: Abortable): Promise<AdaptedParts> {
    if (isPlain(assets)) return this.#plain
    const loras: WeightedLora[] = []
    for (const { file, ...weights } of assets.loras) loras.push({ lora: await this.#loras.get(file, { signal }), ...weights })
    const words = { first: [] as TriggerWord[], second: [] as TriggerWord[] }
    const learn = (trigger: string, { first, second }: TextualInversion): void => {
      if (first !== null) words.first.push({ trigger, vectors: first })
      if (second !== null) words.second.push({ trigger, vectors: second })
    }
    for (const { file, trigger } of assets.textualInversions) learn(trigger, await readEmbedding(file, { signal }))
    for (const { lora } of loras) for (const { trigger, ...vectors } of lora.embeddings) learn(trigger, vectors)
    const adapted = await Promise.all(this.#text.map((path) => path.adapt(loras)))
    const text = adapted.map((path) => withTriggerWords(path, words[path.reads]))
    const changesUnet = assets.controlnets.length > 0 || loras.some(({ lora }) => lora.modules.some(({ network }) => network === 'unet'))
    const control = await this.#control(assets, signal)
    const { base } = this.#plain
    const vae = assets.vae === null ? this.#plain : await this.#vae(assets.vae)
    return {
      base: {
        ...base,
        ...(changesUnet ? await this.#unet.adapt(loras, control) : {}),
        text,
        encode: encodingWith(text),
      },
      decoder: vae.decoder,
      encoder: vae.encoder,
    }
  }

  async #control({ controlnets }: UsedAssets, signal: AbortSignal): Promise<ControlSum | null> {
    if (controlnets.length === 0) return null
    const needed = new Set(controlnets.map(({ file }) => file))
    const running: RunningControlnet[] = []
    for (const { file, ...shown } of controlnets) {
      signal.throwIfAborted()
      const sources = { base: this.#unet.shape, options: this.#parts.unetOptions, open: this.#open }
      running.push({ ...shown, controlnet: await this.#controlnets.get(file, () => openControlnet(file, sources), needed) })
    }
    return new ControlSum(running, this.#unet.skips)
  }

  async #vae(file: string): Promise<OpenedVae> {
    return this.#vaes.get(file, async () => openVae(await readVae(file), this.#openOncePerPicture))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await using stack = new AsyncDisposableStack()
    stack.use(this.#unet)
    for (const path of this.#text) stack.use(path)
    stack.use(this.#controlnets)
    stack.use(this.#vaes)
  }
}
