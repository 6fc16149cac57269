import type { TextPart } from '../text-generation.ts'

type Written = Extract<TextPart, { readonly type: 'text' | 'thoughts' | 'tool-arguments' }>

/**
 * Keeps the two halves of a character (a UTF-16 surrogate pair) in one part. Some servers write them as separate escapes, and their pieces
 * may end between them; many clients fail at half a character. A half that stays alone becomes U+FFFD.
 */
export class WholeCharacters {
  /** The first half of a character whose second half may come, by choice. */
  readonly #halves = new Map<number, Written>()

  /** Whether {@link pass} returns this part unchanged, and nothing else. */
  isPlain(part: { readonly type: string }): boolean {
    return this.#halves.size === 0 && (!isWritten(part) || textOf(part).isWellFormed())
  }

  /** The parts to pass on for the next part. */
  pass(part: TextPart): readonly TextPart[] {
    if (!('choice' in part)) return [part]
    const half = this.#halves.get(part.choice)
    this.#halves.delete(part.choice)
    const isRest = half !== undefined && isWritten(part) && placeOf(half) === placeOf(part)
    const lost = half === undefined || isRest ? [] : [withText(half, '\ufffd')]
    if (!isWritten(part)) return [...lost, part]
    const text = (isRest ? textOf(half) : '') + textOf(part)
    const end = /[\ud800-\udbff]$/.test(text) ? text.length - 1 : text.length
    if (end < text.length) this.#halves.set(part.choice, withText(bare(part), text.slice(end)))
    // Log probabilities come with their own part.
    const isEmpty = end === 0 && text !== '' && !(part.type === 'text' && part.logprobs !== undefined)
    return isEmpty ? lost : [...lost, withText(part, text.slice(0, end).toWellFormed())]
  }
}

function isWritten(part: { readonly type: string }): part is Written {
  return part.type === 'text' || part.type === 'thoughts' || part.type === 'tool-arguments'
}

function textOf(part: Written): string {
  return part.type === 'tool-arguments' ? part.fragment : part.text
}

function withText(part: Written, text: string): Written {
  return part.type === 'tool-arguments' ? { ...part, fragment: text } : { ...part, text }
}

/** A text without its scores, which are passed on once. */
function bare(part: Written): Written {
  return part.type === 'text' ? { type: 'text', choice: part.choice, text: part.text } : part
}

/** Where the text of a part continues. */
function placeOf(part: Written): string {
  return part.type === 'tool-arguments' ? `${part.type} ${part.index}` : part.type
}
