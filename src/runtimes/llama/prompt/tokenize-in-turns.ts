import { setImmediate } from 'node:timers/promises'
import type { Abortable } from '../../../core/waiting.ts'
import { joinTokens } from '../binding/cut-at-marks.ts'
import type { Vocabulary } from '../binding/vocabulary.ts'

/** The tokens of each text; other streams of this engine get a turn between two. */
export async function tokenizeInTurns<Text>(
  texts: readonly Text[],
  tokenize: (text: Text) => Uint32Array | Promise<Uint32Array>,
  { signal }: Abortable,
): Promise<readonly Uint32Array[]> {
  const tokenized: Uint32Array[] = []
  for (const text of texts) {
    if (tokenized.length > 0) await setImmediate()
    signal.throwIfAborted()
    tokenized.push(await tokenize(text))
  }
  return tokenized
}

/** The tokens of a text without control tokens, in turns where the vocabulary can cut it. */
export async function tokenizeLongText(
  vocabulary: Pick<Vocabulary, 'cut' | 'tokenize'>,
  text: string,
  options: Abortable,
): Promise<Uint32Array> {
  const plain = { special: false }
  return joinTokens(await tokenizeInTurns(vocabulary.cut(text, plain), (stretch) => vocabulary.tokenize(stretch, plain), options))
}
