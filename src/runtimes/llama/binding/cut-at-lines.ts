/** A letter that begins a line, behind one that ends in no white space. */
const lineStart = /(?<=[\p{L}\p{N}\p{P}]\n)\p{L}/gu

/**
 * Cuts long text before lines that begin with a letter, where every pattern by which llama.cpp splits text for byte-pair tokenizers (`llama-vocab.cpp`) begins a word:
 * unless {@link joinsLines}, the tokens of the stretches one after the other are those of the text.
 *
 * @param least Characters of a stretch, but for the last.
 */
export function cutAtLines(text: string, least: number): readonly string[] {
  const stretches: string[] = []
  let start = 0
  for (;;) {
    lineStart.lastIndex = start + least
    const found = lineStart.exec(text)
    if (found === null) break
    stretches.push(text.slice(start, found.index))
    start = found.index
  }
  stretches.push(text.slice(start))
  return stretches
}

/** Whether a token spells a line break and a letter behind it, or its bytes' beginning, in GPT-2's spelling or as they are. */
export function joinsLines(tokens: readonly string[]): boolean {
  return tokens.some((token) => /[Ċ\n][A-Za-z\u00c2-\u00f4]/.test(token))
}
