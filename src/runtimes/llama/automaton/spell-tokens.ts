import type { Vocabulary } from '../binding/vocabulary.ts'
import type { SpelledTokens } from './token-grammar.ts'
import { TokenTrie } from './token-trie.ts'

/** A vocabulary as grammars see it: tokens that end an answer and control tokens spell nothing. */
export function spellTokens({ size, ends, isEnd, piece }: Vocabulary): SpelledTokens {
  const spell = (token: number): Uint8Array => (isEnd(token) ? nothing : piece(token).bytes)
  return { trie: new TokenTrie(size, spell), spell, ends }
}

const nothing = new Uint8Array()
