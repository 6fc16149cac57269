import { unusableModel } from '../onnx/model-file.ts'
import type { OnnxSession } from '../onnx/onnx-session.ts'

/** What an encoder makes of one row of token ids. */
export interface EncodedRow {
  /** [tokens, width] */
  readonly hidden: Float32Array
  /** [projection width]; null for the encoder that has no projection. */
  readonly pooled: Float32Array | null
  readonly tokens: number
  readonly width: number
}

/** One of SDXL's text encoders. */
export class ClipTextEncoder {
  /** Width of its hidden states, or null where the file does not say. */
  readonly width: number | null
  /** Width of its pooled output; null where the file does not say or has none. */
  readonly pooledWidth: number | null
  readonly #session: OnnxSession
  /** Names of the hidden states, by layer; 0 is the embedding. */
  readonly #layers: readonly string[]
  readonly #pooled: string | null

  /** @param options.projected Whether its pooled, projected output conditions the UNet (the second encoder). */
  constructor(session: OnnxSession, options: { readonly projected: boolean }) {
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
    return this.#layers.length - 2
  }

  /**
   * Encodes rows of ids, all of one length.
   *
   * @param clipSkip Layers left out before the last but one, as diffusers counts; 0 = SDXL's usual last but one.
   */
  async encode(rows: readonly (readonly number[])[], clipSkip: number): Promise<readonly EncodedRow[]> {
    const layer = this.#layers.at(-(clipSkip + 2))
    if (layer === undefined) throw unusableModel(this.#session.file, `has too few hidden states for a clip_skip of ${clipSkip}`)
    const length = rows[0]?.length ?? 0
    const feeds = { input_ids: this.#session.tensor('input_ids', rows.flat(), [rows.length, length]) }
    const [hidden, pooled] = await this.#session.run(feeds, this.#pooled === null ? [layer] : [layer, this.#pooled])
    const width = hidden?.dims.at(-1) ?? 0
    const size = length * width
    const pooledWidth = pooled?.dims.at(-1) ?? 0
    return rows.map((_, i) => ({
      hidden: hidden?.values.subarray(i * size, (i + 1) * size) ?? new Float32Array(0),
      pooled: pooled?.values.subarray(i * pooledWidth, (i + 1) * pooledWidth) ?? null,
      tokens: length,
      width,
    }))
  }
}
