import type { Vocabulary } from '../binding/vocabulary.ts'
import type { SpelledTokens } from './token-grammar.ts'
import { TokenTrie } from './token-trie.ts'

/**
 * A vocabulary as grammars see it: tokens that end an answer and control tokens spell nothing.
 *
 * @param endings Spellings of tokens that end an answer for its reader, so that they may not come in the middle of one.
 */
export function spellTokens({ size, ends, isEnd, piece }: Vocabulary, endings: readonly string[] = []): SpelledTokens {
  const spell = (token: number): Uint8Array => {
    const { text, bytes } = piece(token)
    return isEnd(token) || (text !== null && endings.includes(text)) ? nothing : bytes
  }
  return { trie: new TokenTrie(size, spell), spell, ends }
}

const nothing = new Uint8Array()
