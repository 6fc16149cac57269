/** Characters from which a longer text is estimated, because every keystroke needs it. */
const sampled = 5000

/** Words that make up a tenth of English text. */
const englishWords = /\b(?:the|and|of|to|is)\b/gi

/** Tokens of a letter from a to z. Vocabularies hold most English words as a whole, and parts of words of other languages. */
const [englishLetter, otherLetter] = [0.23, 0.37]

/** Tokens of another character, by the last code of its group. Spaces count with the word that follows. */
const groups: readonly (readonly [last: number, tokens: number])[] = [
  [0x20, 0],
  [0x2f, 0.55],
  // Digits.
  [0x39, 0.9],
  [0x7f, 0.55],
  // Latin letters with marks.
  [0x24f, 1.2],
  // Greek and Cyrillic.
  [0x58f, 0.85],
  // Hebrew and Arabic.
  [0x8ff, 1.05],
  // The scripts of India.
  [0xdff, 1.3],
  // Thai and its neighbours.
  [0x2e7f, 1.7],
  // Chinese and Japanese.
  [0xabff, 1.6],
  // Korean.
  [0xd7ff, 2.3],
  // Halves of rare characters, such as emoji.
  [0xffff, 1.5],
]

/** An estimate for models with small vocabularies, such as the built-in one; others need fewer tokens for other scripts than Latin. */
export function estimateTokens(text: string): number {
  const sample = text.slice(0, sampled)
  const isEnglish = (sample.match(englishWords)?.length ?? 0) * 60 > sample.length
  const letter = isEnglish ? englishLetter : otherLetter
  let tokens = 0
  for (let at = 0; at < sample.length; at++) {
    const code = sample.charCodeAt(at)
    const isLetter = (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a)
    tokens += isLetter ? letter : (groups.find(([last]) => code <= last)?.[1] ?? 0)
  }
  return sample === '' ? 0 : Math.round((tokens / sample.length) * text.length)
}
