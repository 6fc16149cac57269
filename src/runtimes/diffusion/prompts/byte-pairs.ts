/** GPT-2's printable stand-in for every byte, so that vocabularies stay readable text. */
const byteCharacters = ((): readonly string[] => {
  const printable = (byte: number): boolean => (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174
  let next = 256
  return Array.from({ length: 256 }, (_, byte) => String.fromCodePoint(printable(byte) ? byte : next++))
})()

const encoder = new TextEncoder()

/**
 * Splits a word into byte-pair tokens.
 *
 * @param ranks Merge rules `left right`, lowest rank first.
 * @param end What the last byte carries: CLIP marks the end of a word.
 */
export function bytePairs(word: string, ranks: ReadonlyMap<string, number>, end = '</w>'): readonly string[] {
  const parts = Array.from(encoder.encode(word), (byte) => byteCharacters[byte] ?? '')
  parts.push(`${parts.pop() ?? ''}${end}`)
  const rankAt = (at: number): number => ranks.get(`${parts[at]} ${parts[at + 1]}`) ?? Number.POSITIVE_INFINITY
  // Looked up once and after each merge beside it: a prompt may be one word of thousands of letters.
  const pairRanks = Array.from({ length: parts.length - 1 }, (_, at) => rankAt(at))
  for (;;) {
    let at = -1
    let best = Number.POSITIVE_INFINITY
    for (let i = 0; i < pairRanks.length; i++) {
      const rank = pairRanks[i] ?? best
      if (rank >= best) continue
      best = rank
      at = i
    }
    if (at < 0) return parts
    parts.splice(at, 2, `${parts[at]}${parts[at + 1]}`)
    pairRanks.splice(at, 1)
    if (at < pairRanks.length) pairRanks[at] = rankAt(at)
    if (at > 0) pairRanks[at - 1] = rankAt(at - 1)
  }
}
