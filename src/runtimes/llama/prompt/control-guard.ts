import { ServiceError } from '../../../core/error.ts'
import { matchAny } from '../binding/match-any.ts'

/** Two private-use characters that no text of a request contains; they mark what must stay plain text. */
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
  const [open, close] = unusedCharacters(texts)
  const pattern = matchAny(dangerous)
  return {
    protect: (text) => text.replace(pattern, (control) => open + control + close),
    split: (text) => {
      const [first = '', ...marked] = text.split(open)
      const parts = [{ text: first, special: true }]
      for (const part of marked) {
        const end = part.includes(close) ? part.indexOf(close) : part.length
        const typed = part.slice(0, end)
        const pieces = stubborn.includes(typed) ? [typed.slice(0, 1), typed.slice(1)] : [typed]
        parts.push(...pieces.map((text) => ({ text, special: false })), { text: part.slice(end + 1), special: true })
      }
      return parts.filter((part) => part.text.length > 0)
    },
  }
}

const [firstPrivate, lastPrivate] = [0xe000, 0xf8ff]

function unusedCharacters(texts: readonly string[]): readonly [string, string] {
  const used = new Set(texts.flatMap((text) => text.match(/[\ue000-\uf8ff]/g) ?? []))
  const unused: string[] = []
  for (let code = firstPrivate; unused.length < 2 && code <= lastPrivate; code++) {
    const character = String.fromCharCode(code)
    if (!used.has(character)) unused.push(character)
  }
  const [open, close] = unused
  if (open !== undefined && close !== undefined) return [open, close]
  const message = 'The messages spell a control token and contain every private-use character (U+E000 to U+F8FF); leave out two of them.'
  throw new ServiceError('invalid_request_error', message, { param: 'messages' })
}
