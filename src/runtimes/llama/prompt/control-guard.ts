import { ServiceError } from '../../../core/error.ts'
import { matchAny } from '../binding/match-any.ts'

/** Two private-use characters that no text of a request contains, escaped or not; they mark what must stay plain text. */
export interface ControlGuard {
  /** Marks every spelling of a control token inside text that a client wrote. */
  protect(text: string): string
  /** Splits rendered text into stretches that may hold control tokens and stretches that must not. */
  split(text: string): readonly { readonly text: string; readonly special: boolean }[]
}

/**
 * Makes a guard for one request, so that `<|im_end|>` typed by a user never ends a turn.
 *
 * @param controlTexts Spelling of the control tokens, longest first.
 * @param texts Everything the client wrote, as the template will see it, to find two characters it does not contain.
 * @param stubborn Spellings that become tokens of their own in plain text too, unless they come in two pieces.
 * @throws {ServiceError} `invalid_request_error` when there are none.
 */
export function guardControlTexts(
  controlTexts: readonly string[],
  texts: readonly string[],
  stubborn: readonly string[] = [],
): ControlGuard {
  const all = stubborn.length === 0 ? controlTexts : [...new Set([...controlTexts, ...stubborn])].sort((a, b) => b.length - a.length)
  const dangerous = all.filter((control) => texts.some((text) => text.includes(control)))
  if (dangerous.length === 0) return { protect: (text) => text, split: (text) => [{ text, special: true }] }
  const [open = '', close = ''] = unusedCharacters(texts, 2)
  const pattern = matchAny(dangerous)
  const [opening, closing] = [written(open), written(close)]
  const typedOrMark = new RegExp(`${opening}(${pattern.source})(?:${closing})?|(${pattern.source})${closing}|${opening}|${closing}`, 'g')
  return {
    protect: (text) => text.replace(pattern, (control) => open + control + close),
    split: (text) => {
      const parts: { text: string; special: boolean }[] = []
      let end = 0
      let kept = ''
      for (const { 0: found, 1: typed, 2: half, index } of text.matchAll(typedOrMark)) {
        kept += text.slice(end, index)
        end = index + found.length
        const control = typed ?? half
        if (control === undefined) continue // a mark alone: the template took apart what stood between two
        const pieces = stubborn.includes(control) ? [control.slice(0, 1), control.slice(1)] : [control]
        parts.push({ text: kept, special: true }, ...pieces.map((piece) => ({ text: piece, special: false })))
        kept = ''
      }
      parts.push({ text: kept + text.slice(end), special: true })
      return parts.filter((part) => part.text.length > 0)
    },
  }
}

/** A pattern for a mark as it is, or as JSON in ASCII has it. */
function written(mark: string): string {
  return `(?:${mark}|\\\\u${codeOf(mark)})`
}

function codeOf(mark: string): string {
  return mark.charCodeAt(0).toString(16)
}

const [firstPrivate, lastPrivate] = [0xe000, 0xf8ff]

/** Private-use characters that none of the texts contains, escaped or not. @throws {ServiceError} `invalid_request_error` when there are too few. */
export function unusedCharacters(texts: readonly string[], count: number): readonly string[] {
  const used = new Set(texts.flatMap((text) => text.match(/[\ue000-\uf8ff]|(?<=\\u)[ef][0-9a-f]{3}/g) ?? []))
  const unused: string[] = []
  for (let code = firstPrivate; unused.length < count && code <= lastPrivate; code++) {
    const character = String.fromCharCode(code)
    if (!used.has(character) && !used.has(codeOf(character))) unused.push(character)
  }
  if (unused.length === count) return unused
  const message = 'The messages contain every private-use character (U+E000 to U+F8FF); leave out two of them.'
  throw new ServiceError('invalid_request_error', message, { param: 'messages' })
}
