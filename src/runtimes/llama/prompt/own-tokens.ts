import { ServiceError } from '../../../core/error.ts'
import type { Abortable } from '../../../core/waiting.ts'
import type { Vocabulary } from '../binding/vocabulary.ts'
import { tokenizeLongText } from './tokenize-in-turns.ts'

type Speller = Pick<Vocabulary, 'cut' | 'tokenize' | 'piece'>

/** Clients cut texts into lists of tokens that are longer; a shorter one ends with its text. */
const minCut = 128
/** Minimum share of the tokens inside a text that must be equal when it is tokenized again. */
const minShare = 0.98

/** @throws {ServiceError} `invalid_request_error` naming the first token that a vocabulary lacks. */
export function requireKnownTokens(param: string, tokens: Iterable<number>, { size }: Pick<Vocabulary, 'size'>): void {
  for (const token of tokens) {
    if (Number.isInteger(token) && token >= 0 && token < size) continue
    throw new ServiceError('invalid_request_error', `${param} has token ${token}; this model's tokens are 0 to ${size - 1}.`, { param })
  }
}

/**
 * Whether tokens can be those of a text in this vocabulary: the text they spell is tokenized again. Control tokens do not count, nor do
 * the first word and, of a long list, the last: clients cut long lists of tokens anywhere.
 */
export async function areOwnTokens(vocabulary: Speller, tokens: readonly number[], options: Abortable): Promise<boolean> {
  let [inside, same] = [0, 0]
  for (const stretch of textStretches(vocabulary, tokens)) {
    const pieces = stretch.map((token) => vocabulary.piece(token).bytes)
    const text = Buffer.concat(pieces).toString('utf8')
    const again = await tokenizeLongText(vocabulary, text, options)
    const spaces = pieces.map((piece, index) => isSpace(piece[0]) || isSpace(pieces[index - 1]?.at(-1)))
    const words = pieces.flatMap((piece, index) => (spaces[index] === true && piece.some((byte) => !isSpace(byte)) ? [index] : []))
    const [first = 0, last = 0] = [words.find((index) => index > 0), stretch.length < minCut ? stretch.length : words.at(-1)]
    const isSame = compare(
      stretch.map((token, index) => [token, pieces[index]?.length ?? 0]),
      [...again].map((token) => [token, vocabulary.piece(token).bytes.length]),
    )
    inside += Math.max(0, last - first)
    same += isSame.slice(first, Math.max(first, last)).filter(Boolean).length
  }
  return same >= inside * minShare
}

/** Runs of tokens between control tokens. */
function textStretches(vocabulary: Speller, tokens: readonly number[]): readonly (readonly number[])[] {
  const stretches: number[][] = [[]]
  for (const token of tokens) {
    if (vocabulary.piece(token).bytes.length === 0) stretches.push([])
    else stretches.at(-1)?.push(token)
  }
  return stretches.filter((stretch) => stretch.length > 0)
}

type Sized = readonly (readonly [token: number, bytes: number])[]

/**
 * For each token, whether the other list has it at the same position, counted from either end: some vocabularies put a space before a text.
 */
function compare(tokens: Sized, others: Sized): readonly boolean[] {
  const [fromStart, fromEnd] = [new Map(placesOf(others)), new Map(placesOf(others.toReversed()))]
  const backwards = placesOf(tokens.toReversed()).toReversed()
  return placesOf(tokens).map(
    ([place, token], index) => fromStart.get(place) === token || fromEnd.get(backwards[index]?.[0] ?? -1) === token,
  )
}

function placesOf(tokens: Sized): readonly (readonly [place: number, token: number])[] {
  let bytes = 0
  return tokens.map(([token, size]) => {
    const place = bytes
    bytes += size
    return [place, token]
  })
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x09
}
