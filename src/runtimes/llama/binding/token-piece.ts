/** llama.cpp's `llama_vocab_type`. */
export const vocabularyTypes = { sentencePiece: 1, bytePair: 2, wordPiece: 3, unigram: 4 } as const
/** llama.cpp's `llama_token_type`, as files say it of each token. */
export const tokenKinds = { normal: 1, userDefined: 4, byte: 6 } as const
/** Bits of llama.cpp's `llama_token_attr`. */
export const tokenAttributes = { unknown: 1, normal: 4, control: 8, userDefined: 16, byte: 32, stripsLeft: 128 } as const

/** Spelling of text in a vocabulary: bytes as visible characters (GPT-2), or plain with ▁ for a space (SentencePiece) or without. */
export type Spelling = 'bytes' | 'spaces' | 'plain'

/** Byte-pair tokenizers that spell as SentencePiece does (`escape_whitespaces` in `llama-vocab.cpp`). */
const withSpaces = new Set(['gemma4', 'granite-embed-multi-311m', 'sarvam-moe'])

/** Determines the spelling of a GGUF vocabulary from its tokenizer's name. */
export function findSpelling(vocabularyType: number, { model, pre = '' }: { readonly model: string; readonly pre?: string }): Spelling {
  if (model === 'plamo2') return 'plain'
  return vocabularyType === vocabularyTypes.bytePair && !withSpaces.has(model) && !withSpaces.has(pre) ? 'bytes' : 'spaces'
}

/**
 * The UTF-8 bytes one token stands for, as `llama_token_to_piece` gives them without special tokens.
 *
 * @param text The token's entry in the vocabulary.
 */
export function tokenPiece(text: string, attributes: number, spelling: Spelling): Uint8Array {
  if ((attributes & (tokenAttributes.control | tokenAttributes.unknown)) !== 0) return new Uint8Array()
  if ((attributes & tokenAttributes.userDefined) !== 0) return Buffer.from(text)
  if ((attributes & tokenAttributes.byte) !== 0) return Uint8Array.of(Number.parseInt(text.slice(3, -1), 16))
  if ((attributes & tokenAttributes.normal) === 0) return new Uint8Array()
  if (spelling === 'plain') return Buffer.from(text)
  if (spelling === 'bytes') return decodeBytePairText(text)
  return Buffer.from(text.replaceAll('\u2581', ' '))
}

/** GPT-2's printable spelling of bytes: every byte has one visible character. */
const byteOfCharacter = new Map<string, number>()
let shifted = 256
for (let byte = 0; byte < 256; byte++) {
  const visible = (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174
  byteOfCharacter.set(String.fromCharCode(visible ? byte : shifted++), byte)
}

function decodeBytePairText(text: string): Uint8Array {
  const bytes: number[] = []
  for (const character of text) {
    const byte = byteOfCharacter.get(character)
    if (byte === undefined) bytes.push(...Buffer.from(character))
    else bytes.push(byte)
  }
  return Uint8Array.from(bytes)
}
