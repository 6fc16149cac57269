/** A piece of a prompt and how strongly it counts, 1 = normally. */
export interface WeightedText {
  readonly text: string
  readonly weight: number
  /** Whether a text encoder is to read it apart from what stands before it: it follows the word BREAK. */
  readonly apart?: true
}

/** Largest weight a piece may have; far beyond what a model makes use of, far below where numbers overflow. */
export const largestPromptWeight = 100

/** Times a prompt may say BREAK. */
export const mostBreaks = 32

const roundFactor = 1.1
const squareFactor = 1 / 1.1
/** What a prompt must hold to be anything but one piece that counts normally. */
const marks = /[\\()[\]:]|BREAK/u
const tokenPattern = /\\[()[\]\\]|\\|\(|\[|:\s*([+-]?[.\d]+)\s*\)|\)|\]|[^\\()[\]:]+|:/gu

/**
 * Reads the weights out of a prompt: `(word)` counts 1.1 times, `(word:1.3)` 1.3 times, `[word]` 1/1.1 times, nested
 * ones multiply; a backslash before a bracket makes it an ordinary character, and brackets that are never closed
 * count to the end. BREAK parts what is read together. The convention is that of A1111's web interface.
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

/** Scales every part once for each start at or before it, in one pass: a prompt may open thousands of brackets. */
function scaleFromEach(parts: readonly { weight: number }[], starts: readonly number[], factor: number): void {
  let product = 1
  let passed = 0
  for (const [index, part] of parts.entries()) {
    for (; (starts[passed] ?? Number.POSITIVE_INFINITY) <= index; passed++) product *= factor
    part.weight *= product
  }
}

/** The weight of the first piece that weighs too much or less than nothing, or undefined when none does. */
export function findRefusedWeight(prompt: string): number | undefined {
  return readPromptWeights(prompt).find(({ weight }) => !(weight >= 0 && weight <= largestPromptWeight))?.weight
}

/** Neighbours of the same weight become one text, so that an unweighted prompt is tokenized as a whole. */
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
