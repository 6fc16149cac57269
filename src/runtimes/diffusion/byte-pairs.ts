/** GPT-2's printable stand-in for every byte, so that vocabularies stay readable text. */
const byteCharacters = ((): readonly string[] => {
  const printable = (byte: number): boolean => (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174
  let next = 256
  return Array.from({ length: 256 }, (_, byte) => String.fromCodePoint(printable(byte) ? byte : next++))
})()

const encoder = new TextEncoder()

/**
 * Splits a word into byte-pair tokens as CLIP does; the last one carries the end-of-word mark `</w>`.
 *
 * @param ranks Merge rules `left right`, lowest rank first.
 */
export function bytePairs(word: string, ranks: ReadonlyMap<string, number>): readonly string[] {
  const parts = Array.from(encoder.encode(word), (byte) => byteCharacters[byte] ?? '')
  parts.push(`${parts.pop() ?? ''}</w>`)
  while (parts.length > 1) {
    let best = Number.POSITIVE_INFINITY
    let at = -1
    for (let i = 0; i + 1 < parts.length; i++) {
      const rank = ranks.get(`${parts[i]} ${parts[i + 1]}`)
      if (rank !== undefined && rank < best) {
        best = rank
        at = i
      }
    }
    if (at < 0) break
    parts.splice(at, 2, `${parts[at]}${parts[at + 1]}`)
  }
  return parts
}
