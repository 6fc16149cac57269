import { type Spelling, tokenPiece, vocabularyTypes } from './token-piece.ts'

/** Where text may be cut, so that the tokens of the stretches one after the other are those of the text. */
export interface TextCuts {
  /** Global; a stretch begins where it matches. null = nowhere for sure. */
  readonly boundary: RegExp | null
  /** Whether a stretch leaves out the space that it would begin with, since the tokenizer puts one there. */
  readonly dropsSpace: boolean
  /** Characters after which text without a boundary is cut all the same. */
  readonly longest: number
}

export interface TokenizerFacts {
  /** One of {@link vocabularyTypes}. */
  readonly type: number
  /** As the file spells them. */
  readonly tokens: readonly string[]
  readonly spelling: Spelling
  /** Of each token, one of llama.cpp's `llama_token_type`; none = all are normal ones. */
  readonly tokenTypes: readonly number[] | undefined
  /** Whether SentencePiece puts a space before a text. */
  readonly addsSpace: boolean
}

/**
 * Characters in which llama.cpp's regular expressions, which go a level deeper with each character of a word, stay within a stack of 4 MB: 32 768 letters or spaces at
 * once end the process (`std::regex`).
 */
const longestWord = 8192

/**
 * Before the single space between two words and before a line that begins with a letter, every pattern by which llama.cpp splits text for byte-pair tokenizers
 * (`llama-vocab.cpp`) begins a word, and SentencePiece joins nothing, unless a token of the vocabulary spans the place.
 */
export function findCuts({ type, tokens, spelling, tokenTypes, addsSpace }: TokenizerFacts): TextCuts {
  const spans = (place: RegExp) =>
    tokens.some(
      (token, index) =>
        manyWords.test(token) &&
        spelled.has(tokenTypes?.[index] ?? 1) &&
        place.test(Buffer.from(tokenPiece(token, 0, spelling)).toString()),
    )
  if (type === vocabularyTypes.bytePair)
    return { boundary: spans(/\S |\n[\p{L}\uFFFD]/u) ? null : wordOrLine, dropsSpace: false, longest: longestWord }
  const boundary = type !== vocabularyTypes.sentencePiece || spans(/\S /) ? null : word
  return { boundary, dropsSpace: addsSpace, longest: Number.POSITIVE_INFINITY }
}

/** Normal tokens and those of users. */
const spelled = new Set([1, 4])
/** Holds a space or a line break that is not its beginning or end alone, in any spelling; few tokens do. */
const manyWords = /.[Ġ ▁]|[Ċ\n]./su

const word = /(?<=\S) (?=\p{L})/gu
const wordOrLine = /(?<=\S) (?=\S)|(?<=[\p{L}\p{N}\p{P}]\n)(?=\p{L})/gu

/**
 * Cuts long text at its boundaries. Text that has none for {@link TextCuts.longest} characters is cut all the same, where its tokens may be others.
 *
 * @param least Characters of a stretch, but for the last.
 */
export function cutText(text: string, { boundary, dropsSpace, longest }: TextCuts, least: number): readonly string[] {
  const stretches: string[] = []
  let start = 0
  while (text.length - start > least) {
    const ahead = text.slice(start, start + longest + 2)
    const found = boundary === null ? null : findFrom(boundary, ahead, least)
    if (found === null && ahead.length <= longest) break
    const end = start + (found ?? chooseCut(ahead.slice(0, longest)))
    stretches.push(text.slice(start, end))
    start = found !== null && dropsSpace ? end + 1 : end
  }
  stretches.push(text.slice(start))
  return stretches
}

function findFrom(pattern: RegExp, text: string, from: number): number | null {
  pattern.lastIndex = from
  return pattern.exec(text)?.index ?? null
}

/** Where most tokenizers begin a word. */
const likely = /(?<=[\p{L}\p{N}])[,.，。、；：！？]|(?<=\n)\S/gu

/** The last likely place in the second half of a text, else before its last character, accents included. */
function chooseCut(text: string): number {
  const half = text.length >> 1
  const tail = text.slice(half)
  const last = [...tail.matchAll(likely)].at(-1)?.index ?? tail.search(/(?<!^)\P{M}\p{M}*$/u)
  return half + (last > 0 ? last : tail.search(/.$/su))
}
