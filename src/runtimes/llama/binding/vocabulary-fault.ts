import type { GgufHeader } from '../../../core/gguf/gguf-header.ts'
import { tokenKinds } from './token-piece.ts'

/** Metadata key of token kinds, see {@link tokenKinds}. */
export const tokenTypesKey = 'tokenizer.ggml.token_type'
/** The lists of a header that {@link findVocabularyFault} reads. */
export const vocabularyLists = ['tokenizer.ggml.tokens', tokenTypesKey]

/** Tokenizers without which text has no tokens, and those whose tokens are spelled in a way of their own. */
const unread = new Set(['none', 'no_vocab', 'test', 'rwkv'])
/** Tokenizers that llama.cpp looks through a level deeper with each byte of a token. */
const deep = new Set(['t5', 'plamo2'])
const longestDeepToken = 1024
/** llama.cpp's default unknown token. */
const defaultUnknown: Readonly<Record<string, number>> = { bert: 100, t5: 2 }

/**
 * Finds faults of a vocabulary for which llama.cpp would abort the process, completing a sentence about the file; null = none.
 *
 * @see https://github.com/ggml-org/llama.cpp/blob/master/src/llama-vocab.cpp
 */
export function findVocabularyFault({ values }: Pick<GgufHeader, 'values'>): string | null {
  const model = String(values.get('tokenizer.ggml.model') ?? '')
  if (unread.has(model)) return `has a tokenizer that this service does not support (${model})`
  if (model !== 'whitespace' && values.get('tokenizer.ggml.pre') === 'whitespace')
    return `splits text at spaces (whitespace), which a ${model} tokenizer cannot`
  const [tokens = [], types = []] = vocabularyLists.map((key) => listOf(values.get(key)))
  const known = new Set<unknown>()
  for (const [index, token] of tokens.entries()) {
    const name = token === '' ? `[EMPTY_${index}]` : token
    if (known.has(name)) return `has two tokens ${JSON.stringify(name)}`
    known.add(name)
  }
  if (deep.has(model) && tokens.some((token) => String(token).length > longestDeepToken))
    return `has a token of more than ${longestDeepToken} bytes`
  const unknown = defaultUnknown[model]
  if (unknown !== undefined) {
    const named = values.get('tokenizer.ggml.unknown_token_id')
    if (![named, unknown].some((token) => typeof token === 'number' && token < tokens.length)) return 'has no token for unknown text'
  }
  if (model === 'bert' && types.includes(tokenKinds.byte)) return 'has tokens for single bytes, which WordPiece does not know'
  const missing = model === 'llama' ? byteNames.find((name, byte) => !known.has(name) && !known.has(String.fromCharCode(byte))) : undefined
  return missing === undefined ? null : `has no token ${missing} for a byte`
}

const byteNames = Array.from({ length: 256 }, (_, byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`)

function listOf(value: unknown): readonly (string | number)[] {
  return Array.isArray(value) ? value : []
}
