import type { TextPath } from '../prompts/encode-prompts.ts'
import { ClipTextEncoder, type EncoderRow } from '../prompts/text-encoder.ts'
import { BranchedNetwork } from './lora/branched-network.ts'
import { changedBranches, mixLoras, type WeightedLora } from './lora/mix-loras.ts'
import { writeTextEncoderGraph } from './networks/text-encoder-graph.ts'
import type { OpenNetwork } from './open-vae.ts'
import type { TextEncoderPart } from './parts/checkpoint-parts.ts'

/** A text encoder that takes LoRAs. */
export class AdaptableText implements AsyncDisposable {
  readonly #part: TextEncoderPart
  readonly #plain: TextPath
  readonly #branched: BranchedNetwork<ClipTextEncoder>

  constructor(
    part: TextEncoderPart,
    { plain, normed, open }: { readonly plain: TextPath; readonly normed: boolean; readonly open: OpenNetwork },
  ) {
    const { weights, options } = part
    const { endId } = plain.tokenizer
    this.#part = part
    this.#plain = plain
    this.#branched = new BranchedNetwork(
      (branches) =>
        open(weights, 'text_encoder', (target) => writeTextEncoderGraph(weights, { ...options, normed, endId }, { target, branches })),
      (session) => new ClipTextEncoder(session, { projected: options.projected || options.pooledPlainly === true, readsLast: normed }),
    )
  }

  /** The path with LoRAs; the plain one when none of them changes this encoder. */
  async adapt(loras: readonly WeightedLora[]): Promise<TextPath> {
    const { reads, weights } = this.#part
    const wanted = changedBranches(loras, reads)
    if (wanted.size === 0) return this.#plain
    const { model: encoder, branches } = await this.#branched.with(wanted)
    const feeds = mixLoras(loras, { network: reads, weights, branches })
    const encode = (rows: readonly EncoderRow[], clipSkip: number) => encoder.encode(rows, clipSkip, feeds)
    const { width, pooledWidth, maxClipSkip } = encoder
    return { ...this.#plain, encoder: { width, pooledWidth, maxClipSkip, encode } }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#branched[Symbol.asyncDispose]()
  }
}
