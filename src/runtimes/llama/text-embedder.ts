import { ServiceError } from '../../core/error.ts'
import type { EmbeddingRequest, EmbeddingResult, PromptField } from '../../core/text-generation.ts'
import type { Abortable } from '../../core/waiting.ts'
import type { ModelFile } from './binding/open-model-file.ts'
import type { Vocabulary } from './binding/vocabulary.ts'
import type { EncoderContext } from './encoder-context.ts'
import { areOwnTokens, requireKnownTokens } from './prompt/own-tokens.ts'
import { tokenizeInTurns, tokenizeLongText } from './prompt/tokenize-in-turns.ts'

/** A loaded model that reads whole texts. */
export interface EncoderModel {
  readonly file: ModelFile
  readonly vocabulary: Vocabulary
  readonly encoder: EncoderContext
}

/** Makes embeddings. @throws {ServiceError} `context_length_exceeded` before anything is computed. */
export async function embedTexts(model: EncoderModel, request: EmbeddingRequest, { signal }: Abortable): Promise<EmbeddingResult> {
  const { inputs, field = 'input', dimensions } = request
  const size = model.file.native.vectorLength
  if (dimensions !== undefined && dimensions > size) throw tooWide(dimensions, size)
  const texts = await tokenizeInTurns(inputs, (input) => tokenize(model, input, field, { signal }), { signal })
  const vectors: (readonly number[])[] = []
  for (const tokens of texts) vectors.push(toUnitLength((await model.encoder.read(tokens, { signal })).subarray(0, dimensions ?? size)))
  return { vectors, promptTokens: texts.reduce((sum, tokens) => sum + tokens.length, 0) }
}

async function tokenize(
  model: EncoderModel,
  text: string | readonly number[],
  param: PromptField,
  options: Abortable,
): Promise<Uint32Array> {
  const { vocabulary, encoder } = model
  if (typeof text !== 'string') checkTextFits(text.length, encoder, param, 'at least ')
  const tokens = typeof text === 'string' ? [...(await tokenizeWithin(model, text, param, options))] : [...text]
  requireKnownTokens(param, tokens, vocabulary)
  if (typeof text !== 'string' && !(await areOwnTokens(vocabulary, tokens, options))) throw foreignTokens(param)
  const { begin, end } = vocabulary
  if (begin !== null && tokens[0] !== begin) tokens.unshift(begin)
  if (end !== null && tokens.at(-1) !== end) tokens.push(end)
  if (tokens.length === 0)
    throw new ServiceError('invalid_request_error', 'An empty text has no embedding; send at least one character.', { param })
  checkTextFits(tokens.length, encoder, param)
  return Uint32Array.from(tokens)
}

/** The tokens of a text. @throws {ServiceError} `context_length_exceeded` before one that is surely too long is tokenized. */
export async function tokenizeWithin(
  { file, vocabulary, encoder }: EncoderModel,
  text: string,
  param: PromptField,
  options: Abortable,
): Promise<Uint32Array> {
  checkTextFits(Math.ceil(Buffer.byteLength(text) / file.longestToken), encoder, param, 'at least ')
  return await tokenizeLongText(vocabulary, text, options)
}

/**
 * A text, or a pair of texts, is read as a whole, and no answer follows.
 *
 * @param about What comes before the number of tokens, where it is not exact.
 * @throws {ServiceError} `context_length_exceeded` if the tokens exceed the context.
 */
export function checkTextFits(tokens: number, { length }: Pick<EncoderContext, 'length'>, param: PromptField, about = ''): void {
  if (tokens <= length) return
  const [texts, them] = param === 'documents' ? ['The query and a document have', 'them'] : ['The text has', 'it']
  const message = `${texts} ${about}${tokens} tokens and the model's context holds ${length}; shorten ${them}.`
  throw new ServiceError('context_length_exceeded', message, { param })
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
