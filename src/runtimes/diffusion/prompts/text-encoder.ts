import type { Tensor } from 'onnxruntime-node'
import { unusableModel } from '../onnx/model-file.ts'
import type { OnnxSession } from '../onnx/onnx-session.ts'

/** One row of tokens for an encoder. */
export interface EncoderRow {
  readonly ids: readonly number[]
  /** Vectors of textual inversions by their position in the row, which replace tokens. */
  readonly vectors?: ReadonlyMap<number, Float32Array>
}

/** An encoder's output for one row of tokens. */
export interface EncodedRow {
  /** [tokens, width] */
  readonly hidden: Float32Array
  /** [projection width]; null for the encoder that has no projection. */
  readonly pooled: Float32Array | null
  readonly tokens: number
  readonly width: number
}

/** A text encoder of CLIP's kind. */
export class ClipTextEncoder {
  /** Width of its hidden states, or null where the file does not say. */
  readonly width: number | null
  /** Width of its pooled output; null where the file does not say or has none. */
  readonly pooledWidth: number | null
  readonly #session: OnnxSession
  /** Names of the hidden states, by layer; 0 is the embedding. */
  readonly #layers: readonly string[]
  readonly #pooled: string | null
  /** Layers that are never read: SDXL reads the last but one, its forebears the last. */
  readonly #unread: number
  /** Shape of what textual inversions put in place of tokens, [tokens, width]; null where the model takes none. */
  readonly #vectorShape: readonly [number, number] | null

  /**
   * @param options.projected Whether its pooled, projected output conditions the UNet (the second encoder).
   * @param options.readsLast Whether the UNet reads the last layer instead of SDXL's last but one.
   */
  constructor(session: OnnxSession, options: { readonly projected: boolean; readonly readsLast?: boolean }) {
    session.input('input_ids')
    const layers = [...session.outputs.keys()]
      .flatMap((name) => {
        const number = /^hidden_states[._](\d+)$/u.exec(name)?.[1]
        return number === undefined ? [] : [{ name, layer: Number(number) }]
      })
      .toSorted((a, b) => a.layer - b.layer)
    if (layers.length < 2) throw unusableModel(session.file, 'has no outputs "hidden_states.0", "hidden_states.1" …')
    this.#session = session
    this.#layers = layers.map(({ name }) => name)
    this.#unread = options.readsLast === true ? 0 : 1
    const [, tokens, vectorWidth] = session.inputs.get('token_vectors')?.shape ?? []
    this.#vectorShape = typeof tokens === 'number' && typeof vectorWidth === 'number' ? [tokens, vectorWidth] : null
    this.#pooled = options.projected ? session.output('text_embeds', 'pooler_output') : null
    const fixedWidth = (name: string | undefined): number | null => {
      const size = session.outputs.get(name ?? '')?.shape.at(-1)
      return typeof size === 'number' && size > 0 ? size : null
    }
    this.width = fixedWidth(this.#layers[0])
    this.pooledWidth = fixedWidth(this.#pooled ?? undefined)
  }

  /** The largest `clipSkip` that leaves a layer to read. */
  get maxClipSkip(): number {
    return this.#layers.length - 1 - this.#unread
  }

  /**
   * Encodes rows of tokens, all of one length.
   *
   * @param clipSkip Layers left out besides the model's usual, as diffusers counts.
   * @param added Inputs besides: the factors of LoRAs.
   */
  async encode(
    rows: readonly EncoderRow[],
    clipSkip: number,
    added: Readonly<Record<string, Tensor>> = {},
  ): Promise<readonly EncodedRow[]> {
    const layer = this.#layers.at(-(clipSkip + 1 + this.#unread))
    if (layer === undefined) throw unusableModel(this.#session.file, `has too few hidden states for a clip_skip of ${clipSkip}`)
    const length = rows[0]?.ids.length ?? 0
    const ids = rows.flatMap((row) => row.ids)
    const feeds = { input_ids: this.#session.tensor('input_ids', ids, [rows.length, length]), ...this.#vectorFeeds(rows), ...added }
    const [hidden, pooled] = await this.#session.run(feeds, this.#pooled === null ? [layer] : [layer, this.#pooled])
    const width = hidden?.dims.at(-1)
    if (hidden === undefined || width === undefined) throw unusableModel(this.#session.file, 'returns no hidden states')
    const size = length * width
    const pooledWidth = pooled === undefined ? 0 : pooled.values.length / rows.length
    return rows.map((_, i) => ({
      hidden: hidden.values.subarray(i * size, (i + 1) * size),
      pooled: pooled?.values.subarray(i * pooledWidth, (i + 1) * pooledWidth) ?? null,
      tokens: length,
      width,
    }))
  }

  #vectorFeeds(rows: readonly EncoderRow[]): Readonly<Record<string, Tensor>> {
    if (this.#vectorShape === null) return {}
    const [tokens, width] = this.#vectorShape
    const vectors = new Float32Array(rows.length * tokens * width)
    const isVector = new Float32Array(rows.length * tokens)
    for (const [i, row] of rows.entries()) {
      for (const [place, vector] of row.vectors ?? []) {
        vectors.set(vector, (i * tokens + place) * width)
        isVector[i * tokens + place] = 1
      }
    }
    return {
      token_vectors: this.#session.tensor('token_vectors', vectors, [rows.length, tokens, width]),
      is_vector: this.#session.tensor('is_vector', isVector, [rows.length, tokens, 1]),
    }
  }
}
