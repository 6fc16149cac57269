/** A place in a JSON value: keys and positions. */
type Place = readonly (string | number)[]

/** What spells half of a pair, or all of one, in a JSON text; as bytes no half can stand in UTF-8. */
const escaped = /\\u[dD][89a-fA-F]/

/**
 * Where a text or a key is that holds half of a surrogate pair, as of an emoji that was cut in two; undefined where all are whole.
 * JSON's escapes can spell it, but it is no character: whatever is written in UTF-8 afterwards would be another text.
 *
 * @see RFC 8259, section 8.2
 */
export function findHalfPair(json: string, value: unknown): Place | undefined {
  return escaped.test(json) ? search(value) : undefined
}

function search(value: unknown): Place | undefined {
  if (typeof value === 'string') return value.isWellFormed() ? undefined : []
  if (typeof value !== 'object' || value === null) return undefined
  if (Array.isArray(value)) {
    for (const [index, entry] of value.entries()) {
      const found = search(entry)
      if (found !== undefined) return [index, ...found]
    }
    return undefined
  }
  for (const [key, entry] of Object.entries(value)) {
    const found = key.isWellFormed() ? search(entry) : []
    if (found !== undefined) return [key.toWellFormed(), ...found]
  }
  return undefined
}
