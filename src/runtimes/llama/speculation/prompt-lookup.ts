import type { ChooseLength, GuessedText, Guesser } from './guesser.ts'

/** This many tokens must have stood together before what followed them is a guess worth checking. */
const keyLength = 3
const mostTokens = 12

/**
 * Guesses that what followed the last tokens of a text when they stood in it before follows them again: fast where an answer quotes its prompt.
 *
 * @see Saxena 2023, https://github.com/apoorvumang/prompt-lookup-decoding
 */
export const promptLookup: Guesser = {
  guess: async (texts: readonly GuessedText[], choose: ChooseLength) => {
    const found = texts.map(({ tokens }) => findContinuation(tokens, mostTokens))
    const length = choose(Math.min(...found.map((guess) => guess.length)), 0)
    return found.map((guess) => guess.subarray(0, length))
  },
  [Symbol.asyncDispose]: async () => {},
}

/**
 * What followed the last tokens of a text where they stood before, the latest place first; empty when they are new.
 *
 * @param most Tokens to return.
 */
export function findContinuation(text: readonly number[], most: number): Uint32Array {
  const [first, second, third] = text.slice(-keyLength)
  for (let end = text.length - 2; end >= keyLength - 1; end--)
    if (text[end] === third && text[end - 1] === second && text[end - 2] === first) return repeat(text.slice(end + 1), most)
  return new Uint32Array()
}

/** As many tokens as asked for: a text that came round once is expected to come round again. */
function repeat(tokens: readonly number[], most: number): Uint32Array {
  return Uint32Array.from({ length: most }, (_, index) => tokens[index % tokens.length] ?? 0)
}
