import { type Spelling, tokenAttributes, tokenKinds, tokenPiece, vocabularyTypes } from './token-piece.ts'

/** Positions where text may be cut so that the tokens of the parts are those of the whole. */
export interface TextCuts {
  /** Global; a stretch begins where it matches. null = nowhere for sure. */
  readonly boundary: RegExp | null
  /** Whether a stretch leaves out the space that it would begin with, since the tokenizer puts one there. */
  readonly dropsSpace: boolean
  /** Characters after which text without a boundary is cut all the same. */
  readonly longest: number
  /** White space and digits in a row after which text is cut, boundary or none. */
  readonly longestRun: number
}

export interface TokenizerFacts {
  /** One of {@link vocabularyTypes}. */
  readonly type: number
  /** Spellings as in the file. */
  readonly tokens: readonly string[]
  readonly spelling: Spelling
  /** Kind of each token, one of {@link tokenKinds} or another `llama_token_type`; undefined = all are normal. */
  readonly tokenTypes: readonly number[] | undefined
  /** Whether SentencePiece puts a space before a text. */
  readonly addsSpace: boolean
  /** The name of the pattern by which a byte-pair tokenizer splits text. */
  readonly pattern?: string | undefined
}

/**
 * Prefix of a part after a cut without a boundary, where the tokenizer must not add a space. It is a lone surrogate, which no text
 * contains.
 */
export const joint = '\udfff'

/**
 * Characters in which llama.cpp's regular expressions, which go a level deeper with each character of a word, stay within a stack of 4 MB: 32 768 letters or spaces at
 * once end the process (`std::regex`).
 */
const longestWord = 8192
/** SentencePiece's time grows with the square of the characters that are no token, and of line breaks that are: 300 000 take half a minute, 4 096 ten milliseconds. */
const longestPiece = 4096
/** Patterns whose time grows with the square of white space in a row (`\s+$`) or digits (`(?=(\d{3})+(?!\d))`): 8 192 take four seconds. */
const slowPatterns = new Set(['deepseek-llm', 'superbpe'])
const shortRun = 256

/**
 * Before the single space between two words and before a line that begins with a letter, every pattern by which llama.cpp splits text for byte-pair tokenizers
 * (`llama-vocab.cpp`) begins a word, and SentencePiece joins nothing, unless a token of the vocabulary spans the place.
 */
export function findCuts({ type, tokens, tokenTypes, spelling, addsSpace, pattern = '' }: TokenizerFacts): TextCuts {
  const longestRun = slowPatterns.has(pattern) ? shortRun : Number.POSITIVE_INFINITY
  if (type !== vocabularyTypes.bytePair && type !== vocabularyTypes.sentencePiece)
    return { boundary: null, dropsSpace: false, longest: Number.POSITIVE_INFINITY, longestRun }
  const spanning = tokens
    .filter((token, index) => spelled.has(tokenTypes?.[index] ?? tokenKinds.normal) && /.[Ġ ▁Ċ\n]/su.test(token))
    .map((token) =>
      Buffer.from(tokenPiece(token, tokenAttributes.normal, spelling))
        .toString()
        .replaceAll('\ufffd', 'x'),
    )
  const isFree = (place: RegExp) => spanning.every((token) => !isWithin(token, place))
  if (type === vocabularyTypes.sentencePiece)
    return { boundary: anywhere([piece].filter(isFree)), dropsSpace: addsSpace, longest: longestPiece, longestRun }
  const words = [word, plainWord].filter(isFree).slice(0, 1)
  return { boundary: anywhere([...words, ...[line].filter(isFree)]), dropsSpace: false, longest: longestWord, longestRun }
}

/** Whether a token contains such a place, if a letter follows the token. */
function isWithin(token: string, place: RegExp): boolean {
  const at = `${token}x`.search(place)
  return at !== -1 && at < token.length
}

function anywhere(places: readonly RegExp[]): RegExp | null {
  return places.length === 0 ? null : new RegExp(places.map(({ source }) => source).join('|'), 'gu')
}

/** Normal tokens and those of users. */
const spelled = new Set<number>([tokenKinds.normal, tokenKinds.userDefined])

/** Not after the end of a possible mark, where SentencePiece adds a space. */
const piece = /(?<=[^\s▁>\]]) (?=\p{L})/u
const word = /(?<=[^\s▁]) (?=[^\s▁])/u
/** For vocabularies with tokens such as `> <`. */
const plainWord = /(?<=[\p{L}\p{N},.]) (?=\p{L})/u
const line = /(?<=[\p{L}\p{N}\p{P}]\n)(?=\p{L})/u

/**
 * Cuts long text at its boundaries. Without a boundary within {@link TextCuts.longest} characters it is cut anyway, which may change tokens.
 *
 * @param least Minimum characters of a stretch, except the last.
 */
export function cutText(text: string, cuts: TextCuts, least: number): readonly string[] {
  const { boundary, dropsSpace, longest, longestRun } = cuts
  const stretches: string[] = []
  let start = 0
  let before = ''
  while (text.length - start > least) {
    const ahead = text.slice(start, start + longest + 2)
    const found = boundary === null ? null : findFrom(boundary, ahead, least)
    if (found === null && ahead.length <= longest) break
    const end = start + (found ?? chooseCut(ahead.slice(0, longest)))
    stretches.push(before + text.slice(start, end))
    start = found !== null && dropsSpace ? end + 1 : end
    before = found === null && dropsSpace ? joint : ''
  }
  stretches.push(before + text.slice(start))
  return Number.isFinite(longestRun) ? stretches.flatMap((stretch) => cutRuns(stretch, longestRun)) : stretches
}

function cutRuns(text: string, longestRun: number): readonly string[] {
  const ends = [...text.matchAll(new RegExp(`(?:\\s{${longestRun}}|\\p{N}{${longestRun}})(?!$)`, 'gu'))].map(
    ({ 0: run, index }) => index + run.length,
  )
  return [0, ...ends].map((start, at) => text.slice(start, ends[at]))
}

function findFrom(pattern: RegExp, text: string, from: number): number | null {
  pattern.lastIndex = from
  return pattern.exec(text)?.index ?? null
}

/** Positions where most tokenizers begin a word. */
const likely = /(?<=[\p{L}\p{N}])[,.，。、；：！？]|(?<=\n)\S/gu

/** The last likely place in the second half of a text, else before its last character, accents included. */
function chooseCut(text: string): number {
  const half = text.length >> 1
  const tail = text.slice(half)
  const last = [...tail.matchAll(likely)].at(-1)?.index ?? tail.search(/(?<!^)\P{M}\p{M}*$/u)
  return half + (last > 0 ? last : tail.search(/.$/su))
}
