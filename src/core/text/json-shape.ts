const quote = 0x22
const comma = 0x2c
const colon = 0x3a
const backslash = 0x5c
const openBracket = 0x5b
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d

/** Size and depth of a JSON text; counting stops at the first exceeded bound. */
export interface JsonShape {
  /** Nesting depth of objects and lists. */
  readonly depth: number
  /** Number of objects and lists. */
  readonly containers: number
  readonly keys: number
  /** Bytes of the longest key, as written. */
  readonly keyBytes: number
  /** Number of entries in objects and lists; up to one too many per container. */
  readonly entries: number
}

/** Maximum values for a body. */
export type JsonBounds = JsonShape

/**
 * Measures a JSON text by its punctuation, before parsing: a parsed value takes up to a hundred times the bytes of its text, and deep
 * values overflow recursive code. Stops at the first exceeded bound.
 *
 * @param json A JSON text in UTF-8; the result for anything else is undefined.
 */
export function measureJson(json: Uint8Array, bounds: JsonBounds): JsonShape {
  const { length } = json
  let depth = 0
  let deepest = 0
  let containers = 0
  let keys = 0
  let keyBytes = 0
  let textBytes = 0
  let commas = 0
  for (let at = 0; at < length; at += 1) {
    switch (json[at]) {
      case quote:
        textBytes = at
        at = findClosingQuote(json, at)
        textBytes = at - textBytes - 1
        break
      case openBracket:
      case openBrace:
        depth += 1
        containers += 1
        if (depth > deepest) deepest = depth
        if (depth > bounds.depth || containers > bounds.containers) at = length
        break
      case closeBracket:
      case closeBrace:
        depth -= 1
        break
      case colon:
        keys += 1
        if (textBytes > keyBytes) keyBytes = textBytes
        if (keys > bounds.keys || keyBytes > bounds.keyBytes) at = length
        break
      case comma:
        commas += 1
        if (commas + containers > bounds.entries) at = length
        break
    }
  }
  return { depth: deepest, containers, keys, keyBytes, entries: commas + containers }
}

/** Whether objects and lists are nested deeper than `levels`. */
export function nestsDeeperThan(levels: number, json: Uint8Array): boolean {
  const anything = Number.POSITIVE_INFINITY
  return measureJson(json, { depth: levels, containers: anything, keys: anything, keyBytes: anything, entries: anything }).depth > levels
}

function findClosingQuote(json: Uint8Array, start: number): number {
  const { length } = json
  const first = json.indexOf(quote, start + 1)
  if (first === -1) return length
  if (!isEscaped(json, first)) return first
  // Texts with one escaped quote usually have many, and scanning is faster than searching for each.
  for (let at = first + 1; at < length; at += 1) {
    if (json[at] === quote) return at
    if (json[at] === backslash) at += 1
  }
  return length
}

function isEscaped(json: Uint8Array, at: number): boolean {
  let before = at - 1
  while (json[before] === backslash) before -= 1
  return (at - before) % 2 === 0
}
