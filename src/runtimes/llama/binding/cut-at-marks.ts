/**
 * Cuts text into stretches that begin with a mark (a token with a spelling of its own, such as `<|im_start|>`), which other tokens never span: their tokens one after the
 * other are the text's.
 *
 * @param marks Global; matches every mark; null = there are none.
 * @param least Characters of a stretch, but for the last.
 */
export function cutAtMarks(text: string, marks: RegExp | null, least: number): readonly string[] {
  if (text.length <= least || marks === null) return [text]
  const stretches: string[] = []
  let start = 0
  for (const { index } of text.matchAll(marks)) {
    if (index - start < least) continue
    stretches.push(text.slice(start, index))
    start = index
  }
  stretches.push(text.slice(start))
  return stretches
}

/** One list of tokens after the other. */
export function joinTokens(parts: readonly Uint32Array[]): Uint32Array {
  const joined = new Uint32Array(parts.reduce((sum, part) => sum + part.length, 0))
  let offset = 0
  for (const part of parts) {
    joined.set(part, offset)
    offset += part.length
  }
  return joined
}
