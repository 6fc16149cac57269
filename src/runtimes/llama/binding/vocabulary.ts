import { cutAtMarks, joinTokens } from './cut-at-marks.ts'
import { cutText, joint } from './cut-text.ts'
import { matchAny } from './match-any.ts'
import type { NativeModel } from './native-model.ts'
import type { ModelFile } from './open-model-file.ts'
import { tokenAttributes, tokenPiece, vocabularyTypes } from './token-piece.ts'

/** A token's addition to the output. */
export interface Piece {
  readonly bytes: Uint8Array
  /** The bytes as text; null when they are only part of a character. */
  readonly text: string | null
}

/** The tokens by which a model is shown a text with a gap. */
export interface GapTokens {
  readonly prefix: number
  readonly suffix: number
  readonly middle: number
  /** Token before a repository's name; null = none. */
  readonly repository: number | null
  /** Token before a file's name; null = none. */
  readonly file: number | null
}

/** A model's tokens, with the pieces cached as they come up. */
export interface Vocabulary {
  readonly size: number
  /** Spelling of the tokens that only a template may produce, longest first. */
  readonly controlTexts: readonly string[]
  readonly beginText: string
  readonly endText: string
  /** Token put before every prompt, or null. */
  readonly begin: number | null
  /** Token put after every text that is embedded, or null. */
  readonly end: number | null
  /** null = the model fills no gaps. */
  readonly gap: GapTokens | null
  /** The tokens of a text, or of a stretch of one. */
  tokenize(text: string, options: { readonly special: boolean }): Uint32Array
  /** Cuts text into stretches whose tokens, one after the other, are those of the text. */
  cut(text: string, options: { readonly special: boolean }): readonly string[]
  piece(token: number): Piece
  /** The bytes of a token, those of a control token too. */
  spell(token: number): Uint8Array
  /** Tokens that end an answer. */
  readonly ends: readonly number[]
  isEnd(token: number): boolean
}

/** Characters that are tokenized at once where the text can be cut; about two milliseconds of llama.cpp's. */
const longStretch = 2048
/**
 * Length from which a text is cut at its marks even if its parts are not cached. llama.cpp's time grows with the square of the marks in a
 * text: 8 000 empty messages take 0.4 s instead of 2.6 s.
 */
const longText = 8192

/** The last private-use character: spelled byte by byte, so it merges with nothing, and SentencePiece adds no space after it. */
const probeCharacter = '\u{10fffd}'

/** @param shown Spellings that answers show even where they are control tokens. */
export function readVocabulary(file: ModelFile, shown: readonly string[]): Vocabulary {
  const { native: model, vocabularySize: size, cuts, spelling } = file
  const type = model.vocabularyType
  const pieces = new Map<number, Piece>()
  const ends = new Set<number>()
  const controlTexts: string[] = []
  const controls = new Map<number, Uint8Array>()
  const marks: string[] = []
  const named = new Map<string, number>()
  for (let token = 0; token < size; token++) {
    if (model.isEnd(token)) ends.add(token)
    const attributes = model.tokenAttributes(token)
    if ((attributes & (tokenAttributes.control | tokenAttributes.unknown | tokenAttributes.userDefined)) === 0) continue
    const text = model.tokenText(token)
    if (text.length === 0) continue
    if (repositoryMarks.includes(text) || text === fileMark) named.set(text, token)
    if ((attributes & tokenAttributes.userDefined) === 0) {
      controlTexts.push(text)
      controls.set(token, Buffer.from(text))
    }
    if ((attributes & tokenAttributes.stripsLeft) === 0 && /^[<[]/.test(text)) marks.push(text)
  }
  const markPattern = marks.length === 0 ? null : matchAny(marks)
  const cutAt = (text: string, special: boolean, least: number): readonly string[] =>
    (special ? cutAtMarks(text, markPattern, least) : [text]).flatMap((stretch) => cutText(stretch, cuts, longStretch))
  const { begin, end } = model

  const probeTokens = cuts.dropsSpace ? model.tokenize(probeCharacter, false).length : 0
  const tokenizeStretch = (stretch: string, special: boolean): Uint32Array =>
    cuts.dropsSpace && stretch.startsWith(joint)
      ? model.tokenize(probeCharacter + stretch.slice(joint.length), special).slice(probeTokens)
      : model.tokenize(stretch, special)

  const pieceOf = (token: number): Piece => {
    let piece = pieces.get(token)
    if (piece === undefined) {
      const text = model.tokenText(token)
      piece = describePiece(shown.includes(text) ? Buffer.from(text) : tokenPiece(text, model.tokenAttributes(token), spelling))
      pieces.set(token, piece)
    }
    return piece
  }

  return {
    size,
    controlTexts: controlTexts.sort((a, b) => b.length - a.length),
    beginText: begin === null ? '' : model.tokenText(begin),
    endText: end === null ? '' : model.tokenText(end),
    begin: type === vocabularyTypes.wordPiece || (type !== vocabularyTypes.unigram && model.beginsTexts) ? begin : null,
    end: type === vocabularyTypes.wordPiece ? model.separator : type === vocabularyTypes.unigram || model.endsTexts ? end : null,
    gap: readGap(model, named),
    tokenize: (text, { special }) => joinTokens(cutAt(text, special, longText).map((stretch) => tokenizeStretch(stretch, special))),
    cut: (text, { special }) => cutAt(text, special, 1),
    piece: pieceOf,
    spell: (token) => controls.get(token) ?? pieceOf(token).bytes,
    ends: [...ends],
    isEnd: (token) => ends.has(token),
  }
}

/** Recognized by spelling, as in llama.cpp. */
const repositoryMarks = ['<|fim_repo|>', '<|repo_name|>', '<fim-repo>', '<REPO>', '<reponame>']
const fileMark = '<|file_sep|>'

function readGap(model: NativeModel, named: ReadonlyMap<string, number>): GapTokens | null {
  const { prefix, suffix, middle } = model.gap
  if (prefix === null || suffix === null || middle === null) return null
  const repository = repositoryMarks.flatMap((text) => named.get(text) ?? [])[0] ?? null
  return { prefix, suffix, middle, repository, file: named.get(fileMark) ?? null }
}

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function describePiece(bytes: Uint8Array): Piece {
  try {
    return { bytes, text: strict.decode(bytes) }
  } catch {
    return { bytes, text: null }
  }
}
