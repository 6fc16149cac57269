const quote = 0x22
const backslash = 0x5c
const colon = 0x3a
const openBrace = 0x7b
const closeBrace = 0x7d

/** How many keys the objects of a parsed JSON text have in all; fewer than the text has colons where an object has a key twice. */
export function countKeys(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  const entries: readonly unknown[] = Object.values(value)
  let keys = Array.isArray(value) ? 0 : entries.length
  for (const entry of entries) if (typeof entry === 'object') keys += countKeys(entry)
  return keys
}

/**
 * The first key that is twice in one object. Slow; called only where {@link countKeys} says that there is one.
 *
 * @param json A valid JSON text.
 */
export function findDuplicateKey(json: Buffer): string | undefined {
  const objects: Set<string>[] = []
  let text = { start: 0, end: 0 }
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at]
    if (byte === openBrace) objects.push(new Set())
    else if (byte === closeBrace) objects.pop()
    else if (byte === quote) {
      const start = at
      for (at += 1; at < json.length && json[at] !== quote; at += 1) if (json[at] === backslash) at += 1
      text = { start, end: at + 1 }
    } else if (byte === colon) {
      const key = readString(json.toString('utf8', text.start, text.end))
      if (objects.at(-1)?.has(key)) return key
      objects.at(-1)?.add(key)
    }
  }
  return undefined
}

function readString(literal: string): string {
  // Keys hardly ever hold an escape, and a parser of its own for each would be the slowest part.
  return literal.includes('\\') ? String(JSON.parse(literal)) : literal.slice(1, -1)
}
