import type { TextPath } from '../prompts/encode-prompts.ts'
import { ClipTextEncoder, type EncoderRow } from '../prompts/text-encoder.ts'
import { LoraBranches, neededBranches } from './lora/lora-branches.ts'
import { changedBranches, mixLoras, type WeightedLora } from './lora/mix-loras.ts'
import { writeTextEncoderGraph } from './networks/text-encoder-graph.ts'
import type { OpenedNetwork, OpenNetwork } from './open-vae.ts'
import type { TextEncoderPart } from './parts/checkpoint-parts.ts'

/** A text encoder that takes LoRAs: a second session over the same mapped weights, made when it is first needed. */
export class AdaptableText implements AsyncDisposable {
  readonly #part: TextEncoderPart
  readonly #plain: TextPath
  readonly #normed: boolean
  readonly #open: OpenNetwork
  #extended: { readonly network: OpenedNetwork; readonly encoder: ClipTextEncoder; readonly branches: ReadonlySet<string> } | null = null

  constructor(
    part: TextEncoderPart,
    { plain, normed, open }: { readonly plain: TextPath; readonly normed: boolean; readonly open: OpenNetwork },
  ) {
    this.#part = part
    this.#plain = plain
    this.#normed = normed
    this.#open = open
  }

  /** The path with LoRAs; the plain one when none of them changes this encoder. */
  async adapt(loras: readonly WeightedLora[]): Promise<TextPath> {
    const { reads, weights } = this.#part
    const wanted = changedBranches(loras, reads)
    if (wanted.size === 0) return this.#plain
    const { encoder, branches } = await this.#extend(wanted)
    const feeds = mixLoras(loras, { network: reads, weights, branches })
    const encode = (rows: readonly EncoderRow[], clipSkip: number) => encoder.encode(rows, clipSkip, feeds)
    const { width, pooledWidth, maxClipSkip } = encoder
    return { ...this.#plain, encoder: { width, pooledWidth, maxClipSkip, encode } }
  }

  async #extend(wanted: ReadonlySet<string>): Promise<{ readonly encoder: ClipTextEncoder; readonly branches: ReadonlySet<string> }> {
    const before = this.#extended
    const branches = neededBranches(wanted, before?.branches ?? null)
    if (before !== null && branches === null) return before
    const all = branches ?? wanted
    const { weights, options } = this.#part
    const { endId } = this.#plain.tokenizer
    const network = await this.#open(weights, 'text_encoder', (target) =>
      writeTextEncoderGraph(weights, { ...options, normed: this.#normed, endId }, { target, branches: new LoraBranches(all) }),
    )
    const encoder = new ClipTextEncoder(network.session, {
      projected: options.projected || options.pooledPlainly === true,
      readsLast: this.#normed,
    })
    this.#extended = { network, encoder, branches: all }
    await before?.network[Symbol.asyncDispose]()
    return this.#extended
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#extended?.network[Symbol.asyncDispose]()
  }
}
