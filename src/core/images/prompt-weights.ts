/** A piece of a prompt with its weight, 1 = normal. */
export interface WeightedText {
  readonly text: string
  readonly weight: number
  /** Whether it starts a new chunk for the text encoder, after the word BREAK. */
  readonly apart?: true
}

/** Maximum weight of a piece: far beyond any useful value, and far below overflow. */
export const largestPromptWeight = 100

/** Maximum number of BREAKs in a prompt. */
export const maxBreaks = 32

const roundFactor = 1.1
const squareFactor = 1 / 1.1
/** Characters and words that give parts of a prompt a special meaning. */
const marks = /[\\()[\]:]|BREAK/u
const tokenPattern = /\\[()[\]\\]|\\|\(|\[|:\s*([+-]?[.\d]+)\s*\)|\)|\]|[^\\()[\]:]+|:/gu

/**
 * Parses the weights in a prompt: `(word)` counts 1.1 times, `(word:1.3)` 1.3 times, `[word]` 1/1.1 times, nested ones multiply; a
 * backslash before a bracket makes it an ordinary character, and unclosed brackets extend to the end. BREAK starts a new chunk. The syntax
 * is that of A1111's web interface.
 */
export function readPromptWeights(prompt: string): readonly WeightedText[] {
  if (!marks.test(prompt)) return prompt === '' ? [] : [{ text: prompt, weight: 1 }]
  const parts: { text: string; weight: number; apart?: true }[] = []
  const openRound: number[] = []
  const openSquare: number[] = []
  const scaleFrom = (start: number, factor: number): void => {
    for (let index = start; index < parts.length; index++) {
      const part = parts[index]
      if (part !== undefined) part.weight *= factor
    }
  }
  for (const [token, weight] of prompt.matchAll(tokenPattern)) {
    if (token === '(') openRound.push(parts.length)
    else if (token === '[') openSquare.push(parts.length)
    else if (token === ')' && openRound.length > 0) scaleFrom(openRound.pop() ?? 0, roundFactor)
    else if (token === ']' && openSquare.length > 0) scaleFrom(openSquare.pop() ?? 0, squareFactor)
    else if (weight !== undefined && openRound.length > 0 && Number.isFinite(Number(weight)))
      scaleFrom(openRound.pop() ?? 0, Number(weight))
    else if (token.length === 2 && token.startsWith('\\')) parts.push({ text: token.slice(1), weight: 1 })
    else {
      const [text = '', ...others] = token.split(/\s*\bBREAK\b\s*/u)
      parts.push({ text, weight: 1 }, ...others.map((other) => ({ text: other, weight: 1, apart: true as const })))
    }
  }
  scaleFromEach(parts, openRound, roundFactor)
  scaleFromEach(parts, openSquare, squareFactor)
  return joinEqual(parts)
}

/** Scales each part once for each start at or before it, in one pass, since a prompt may have thousands of brackets. */
function scaleFromEach(parts: readonly { weight: number }[], starts: readonly number[], factor: number): void {
  let product = 1
  let passed = 0
  for (const [index, part] of parts.entries()) {
    for (; (starts[passed] ?? Number.POSITIVE_INFINITY) <= index; passed++) product *= factor
    part.weight *= product
  }
}

/** The first weight outside the allowed range, or undefined. */
export function findRefusedWeight(prompt: string): number | undefined {
  return readPromptWeights(prompt).find(({ weight }) => !(weight >= 0 && weight <= largestPromptWeight))?.weight
}

/** Joins neighbours of the same weight, so that an unweighted prompt is tokenized as a whole. */
function joinEqual(parts: readonly WeightedText[]): readonly WeightedText[] {
  const joined: WeightedText[] = []
  for (const part of parts) {
    const last = joined.at(-1)
    if (part.text === '' && part.apart === undefined) continue
    if (last?.weight === part.weight && part.apart === undefined) joined[joined.length - 1] = { ...last, text: last.text + part.text }
    else joined.push(part)
  }
  return joined
}
