import { ServiceError } from '../../core/error.ts'
import type { EmbeddingRequest, EmbeddingResult, PromptField } from '../../core/text-generation.ts'
import type { Abortable } from '../../core/waiting.ts'
import type { ModelFile } from './binding/open-model-file.ts'
import type { Vocabulary } from './binding/vocabulary.ts'
import type { EncoderContext } from './encoder-context.ts'
import { areOwnTokens } from './prompt/own-tokens.ts'
import { checkPromptFits, tooLong } from './prompt/prompt-tokens.ts'
import { tokenizeInTurns, tokenizeLongText } from './prompt/tokenize-in-turns.ts'

/** Makes embeddings. */
export class TextEmbedder {
  readonly #file: ModelFile
  readonly #vocabulary: Vocabulary
  readonly #context: EncoderContext

  constructor(file: ModelFile, vocabulary: Vocabulary, context: EncoderContext) {
    this.#file = file
    this.#vocabulary = vocabulary
    this.#context = context
  }

  /** @throws {ServiceError} `context_length_exceeded` before anything is computed. */
  async embed({ inputs, field = 'input', dimensions }: EmbeddingRequest, { signal }: Abortable): Promise<EmbeddingResult> {
    const size = this.#file.native.vectorLength
    if (dimensions !== undefined && dimensions > size) throw tooWide(dimensions, size)
    const texts = await tokenizeInTurns(inputs, (input) => this.#tokenize(input, field, { signal }), { signal })
    const vectors: (readonly number[])[] = []
    for (const tokens of texts) vectors.push(toUnitLength((await this.#context.read(tokens, { signal })).subarray(0, dimensions ?? size)))
    return { vectors, promptTokens: texts.reduce((sum, tokens) => sum + tokens.length, 0) }
  }

  async #tokenize(text: string | readonly number[], param: PromptField, options: Abortable): Promise<Uint32Array> {
    const { begin, end } = this.#vocabulary
    const { length } = this.#context
    const least = typeof text === 'string' ? Math.ceil(Buffer.byteLength(text) / this.#file.longestToken) : text.length
    if (least > length) throw tooLong(`at least ${least}`, length, param)
    const tokens = typeof text === 'string' ? [...(await tokenizeLongText(this.#vocabulary, text, options))] : [...text]
    this.#requireKnown(tokens, param)
    if (typeof text !== 'string' && !(await areOwnTokens(this.#vocabulary, tokens, options))) throw foreignTokens(param)
    if (begin !== null && tokens[0] !== begin) tokens.unshift(begin)
    if (end !== null && tokens.at(-1) !== end) tokens.push(end)
    if (tokens.length === 0)
      throw new ServiceError('invalid_request_error', 'An empty text has no embedding; send at least one character.', { param })
    checkPromptFits(tokens.length - 1, length, param)
    return Uint32Array.from(tokens)
  }

  #requireKnown(tokens: readonly number[], param: PromptField): void {
    const unknown = tokens.find((token) => token >= this.#vocabulary.size)
    if (unknown === undefined) return
    const message = `${param} has token ${unknown}; this model's tokens are 0 to ${this.#vocabulary.size - 1}.`
    throw new ServiceError('invalid_request_error', message, { param })
  }
}

function toUnitLength(vector: Float64Array): readonly number[] {
  const length = Math.hypot(...vector)
  return Array.from(vector, (value) => (length === 0 ? 0 : value / length))
}

function foreignTokens(param: PromptField): ServiceError {
  const message = `${param} contains tokens that this model's tokenizer would not produce, such as those of another tokenizer; send the text itself (LangChain: check_embedding_ctx_length=False).`
  return new ServiceError('invalid_request_error', message, { param })
}

function tooWide(dimensions: number, size: number): ServiceError {
  const message = `This model's vectors have ${size} dimensions; use at most ${size}, not ${dimensions}.`
  return new ServiceError('invalid_request_error', message, { param: 'dimensions' })
}
