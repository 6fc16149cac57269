import type { Tensor } from 'onnxruntime-node'
import { relativeBuckets } from '../checkpoint/networks/t5-graph.ts'
import type { OnnxSession } from '../onnx/onnx-session.ts'
import type { ByteLevelTokenizer } from '../prompts/byte-level-tokenizer.ts'
import type { UnigramTokenizer } from '../prompts/unigram-tokenizer.ts'
import { valueAt } from '../value-at.ts'
import { anglesAt } from './rotations.ts'

/** A text as a transformer reads it: [tokens, width]. */
export interface HiddenText {
  readonly values: Float32Array
  readonly tokens: number
  readonly width: number
  /** Whether the text had more tokens. */
  readonly isCut: boolean
}

type Feeds = Readonly<Record<string, Tensor>>

/** T5's encoder. Texts are filled up to the wanted length with tokens that are read like any other. */
export class T5Encoder {
  readonly #session: OnnxSession
  readonly #tokenizer: UnigramTokenizer
  readonly #additions: Feeds

  /** @param additions Numbers of LoRAs. */
  constructor(session: OnnxSession, tokenizer: UnigramTokenizer, additions: Feeds = {}) {
    this.#session = session
    this.#tokenizer = tokenizer
    this.#additions = additions
  }

  /** The same encoder with LoRAs. @param session A session with branches for the LoRAs. */
  adapted(session: OnnxSession, additions: Feeds): T5Encoder {
    return new T5Encoder(session, this.#tokenizer, additions)
  }

  async encode(text: string, length: number): Promise<HiddenText> {
    const { endId, padId } = this.#tokenizer
    const all = this.#tokenizer.encode(text)
    const cut = [...all.slice(0, length - 1), endId]
    const ids = [...cut, ...Array.from({ length: length - cut.length }, () => padId)]
    const session = this.#session
    const feeds = {
      input_ids: session.tensor('input_ids', ids, [1, length]),
      buckets: session.tensor('buckets', relativeBuckets(length), [length, length]),
      ...this.#additions,
    }
    const [hidden] = await session.run(feeds, ['hidden_states'])
    return { values: hidden.values, tokens: length, width: hidden.values.length / length, isCut: all.length >= length }
  }
}

/** Chat template around a text: one user turn, followed by the start of the answer. */
const chat = (text: string): string => `<|im_start|>user\n${text}<|im_end|>\n<|im_start|>assistant\n`
/** Marks an answer without reasoning. */
const noThoughts = '<think>\n\n</think>\n\n'
/** Padding token. */
const filler = '<|endoftext|>'
/** Tokens of the chat template. */
export const chatTokens: readonly string[] = ['<|im_start|>', '<|im_end|>', filler]

/** Base of the frequencies by which Qwen3 turns its heads. */
const qwenTheta = 1_000_000

/** A language model of Qwen3's kind as a text encoder. */
export class LanguageModelEncoder {
  readonly #session: OnnxSession
  readonly #tokenizer: ByteLevelTokenizer
  readonly #isPadded: boolean

  /** @param options.padded Whether texts are padded to the maximum length, with masked tokens, and prompted without reasoning. */
  constructor(session: OnnxSession, tokenizer: ByteLevelTokenizer, { padded }: { readonly padded: boolean }) {
    this.#session = session
    this.#tokenizer = tokenizer
    this.#isPadded = padded
  }

  /** Hidden states of a text, truncated to `most` tokens. */
  async encode(text: string, most: number): Promise<HiddenText> {
    const all = this.#tokenizer.encode(chat(text) + (this.#isPadded ? noThoughts : ''))
    const own = all.slice(0, most)
    const [pad = 0] = this.#tokenizer.encode(filler)
    const ids = this.#isPadded ? [...own, ...Array.from({ length: most - own.length }, () => pad)] : own
    const tokens = ids.length
    const session = this.#session
    const headWidth = 2 * Number(session.input('rope_cos').shape[1])
    const { cos, sin } = anglesAt(
      ids.map((_, i) => [i]),
      { theta: qwenTheta, axes: [headWidth] },
    )
    const mask = Float32Array.from({ length: tokens * tokens }, (_, i) => {
      const column = i % tokens
      return column > Math.floor(i / tokens) || column >= own.length ? hidden : 0
    })
    const feeds = {
      input_ids: session.tensor('input_ids', ids, [1, tokens]),
      mask: session.tensor('mask', mask, [1, 1, tokens, tokens]),
      rope_cos: session.tensor('rope_cos', cos, [tokens, headWidth / 2]),
      rope_sin: session.tensor('rope_sin', sin, [tokens, headWidth / 2]),
    }
    const [states] = await session.run(feeds, ['hidden_states'])
    return { values: states.values, tokens, width: states.values.length / tokens, isCut: all.length > most }
  }
}

/** Score of masked tokens. */
const hidden = -3.4028234663852886e38

/** Puts rows of texts below each other; narrower ones are filled up with zeros on the right. */
export function stackTexts(texts: readonly HiddenText[]): HiddenText {
  const width = Math.max(...texts.map((text) => text.width))
  const tokens = texts.reduce((sum, text) => sum + text.tokens, 0)
  const values = new Float32Array(tokens * width)
  let row = 0
  for (const text of texts)
    for (let i = 0; i < text.tokens; i++) values.set(text.values.subarray(i * text.width, (i + 1) * text.width), row++ * width)
  // The last text is the one that is read at length.
  return { values, tokens, width, isCut: texts.at(-1)?.isCut === true }
}

/** Concatenates texts of equal length along the width. */
export function joinTexts(texts: readonly HiddenText[]): HiddenText {
  const width = texts.reduce((sum, text) => sum + text.width, 0)
  const tokens = texts[0]?.tokens ?? 0
  const values = new Float32Array(tokens * width)
  let column = 0
  for (const text of texts) {
    for (let i = 0; i < tokens; i++)
      for (let j = 0; j < text.width; j++) values[i * width + column + j] = valueAt(text.values, i * text.width + j)
    column += text.width
  }
  return { values, tokens, width, isCut: texts.some((text) => text.isCut) }
}
