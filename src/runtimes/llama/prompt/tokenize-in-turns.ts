import { setImmediate } from 'node:timers/promises'

/** The tokens of each text; whoever streams from this engine has a turn between two. */
export async function tokenizeInTurns<Text>(
  texts: readonly Text[],
  tokenize: (text: Text) => Uint32Array,
  { signal }: { readonly signal: AbortSignal },
): Promise<readonly Uint32Array[]> {
  const tokenized: Uint32Array[] = []
  for (const text of texts) {
    if (tokenized.length > 0) await setImmediate()
    signal.throwIfAborted()
    tokenized.push(tokenize(text))
  }
  return tokenized
}
