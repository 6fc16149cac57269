/** Allowed bytes, each with the class of the bytes that continue its character; null = the character is complete. */
export interface ByteClass {
  readonly id: number
  readonly edges: readonly ByteEdge[]
}

/** The bytes from `low` to `high`. */
export interface ByteEdge {
  readonly low: number
  readonly high: number
  readonly rest: ByteClass | null
}

/** Code points, both ends included. */
export type CodeRange = readonly [low: number, high: number]

/** The largest code point of Unicode. */
export const lastCodePoint = 0x10ffff

const surrogates: CodeRange = [0xd800, 0xdfff]

/** Makes byte classes; equal ones are made once. */
export class ByteClasses {
  readonly #known = new Map<string, ByteClass>()

  /** The characters in any of the ranges, spelled in UTF-8; a class without an edge lets nothing pass. */
  of(ranges: readonly CodeRange[]): ByteClass {
    const spellings = ranges.flatMap(([low, high]) => withoutSurrogates(low, high)).flatMap(([low, high]) => spell(low, high))
    return this.#make(spellings.map((spelling) => this.#edge(spelling)))
  }

  #edge([[low, high], next, ...more]: Spelling): ByteEdge {
    return { low, high, rest: next === undefined ? null : this.#make([this.#edge([next, ...more])]) }
  }

  #make(edges: readonly ByteEdge[]): ByteClass {
    const key = edges.map(({ low, high, rest }) => `${low}-${high}>${rest?.id ?? ''}`).join()
    const known = this.#known.get(key) ?? { id: this.#known.size, edges }
    this.#known.set(key, known)
    return known
  }
}

/** The ranges of ranges' complement. */
export function complement(ranges: readonly CodeRange[]): readonly CodeRange[] {
  const outside: CodeRange[] = []
  let next = 0
  for (const [low, high] of [...ranges].sort((a, b) => a[0] - b[0])) {
    if (low > next) outside.push([next, low - 1])
    next = Math.max(next, high + 1)
  }
  if (next <= lastCodePoint) outside.push([next, lastCodePoint])
  return outside
}

type Spelling = readonly [first: CodeRange, ...rest: CodeRange[]]

function withoutSurrogates(low: number, high: number): readonly CodeRange[] {
  const parts: readonly CodeRange[] = [
    [low, Math.min(high, surrogates[0] - 1)],
    [Math.max(low, surrogates[1] + 1), high],
  ]
  return parts.filter(([from, to]) => from <= to)
}

/** Ends of the ranges that UTF-8 spells with one, two and three bytes. */
const lengthEnds = [0x7f, 0x7ff, 0xffff]

/** Splits a range into runs in which every byte varies on its own. */
function spell(low: number, high: number): readonly Spelling[] {
  const end = lengthEnds.find((last) => low <= last && last < high)
  if (end !== undefined) return [...spell(low, end), ...spell(end + 1, high)]
  if (high > 0x7f)
    for (const mask of [0x3f, 0xfff, 0x3ffff]) {
      if ((low & ~mask) === (high & ~mask)) continue
      if ((low & mask) !== 0) return [...spell(low, low | mask), ...spell((low | mask) + 1, high)]
      if ((high & mask) !== mask) return [...spell(low, (high & ~mask) - 1), ...spell(high & ~mask, high)]
    }
  return [bytesBetween(low, high)]
}

/** The ranges of the bytes that spell two code points of one length in UTF-8 (RFC 3629, section 3). */
function bytesBetween(low: number, high: number): Spelling {
  if (low <= 0x7f) return [[low, high]]
  const tail = (shift: number): CodeRange => [0x80 | ((low >> shift) & 0x3f), 0x80 | ((high >> shift) & 0x3f)]
  if (low <= 0x7ff) return [[0xc0 | (low >> 6), 0xc0 | (high >> 6)], tail(0)]
  if (low <= 0xffff) return [[0xe0 | (low >> 12), 0xe0 | (high >> 12)], tail(6), tail(0)]
  return [[0xf0 | (low >> 18), 0xf0 | (high >> 18)], tail(12), tail(6), tail(0)]
}
