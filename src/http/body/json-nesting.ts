const quote = 0x22
const backslash = 0x5c
const openBracket = 0x5b
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d

/** Room for what text engines read, JSON Schemas of 32 levels, each of them two of JSON, where they lie deepest: in tools. */
export const deepestJson = 100

/**
 * Whether objects and lists lie deeper in each other than so many levels. Tells it from the brackets alone, before anything is
 * parsed: a parsed value that deep would cost hundreds of bytes per bracket and end whatever walks it by recursion.
 *
 * @param json A JSON text in UTF-8; of anything else some answer comes.
 */
export function nestsDeeperThan(levels: number, json: Buffer): boolean {
  const { length } = json
  let depth = 0
  for (let at = 0; at < length; at += 1) {
    switch (json[at]) {
      case quote:
        at = findClosingQuote(json, at)
        break
      case openBracket:
      case openBrace:
        depth += 1
        if (depth > levels) return true
        break
      case closeBracket:
      case closeBrace:
        depth -= 1
        break
    }
  }
  return false
}

function findClosingQuote(json: Buffer, start: number): number {
  const { length } = json
  const first = json.indexOf(quote, start + 1)
  if (first === -1) return length
  if (!isEscaped(json, first)) return first
  // Where one quote is escaped, many are, and walking is faster than looking for each.
  for (let at = first + 1; at < length; at += 1) {
    if (json[at] === quote) return at
    if (json[at] === backslash) at += 1
  }
  return length
}

function isEscaped(json: Buffer, at: number): boolean {
  let before = at - 1
  while (json[before] === backslash) before -= 1
  return (at - before) % 2 === 0
}
