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
 * @param texts Everything the client wrote, to find two characters it does not contain.
 */
export function guardControlTexts(controlTexts: readonly string[], texts: readonly string[]): ControlGuard {
  const dangerous = controlTexts.filter((control) => texts.some((text) => text.includes(control)))
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
        parts.push({ text: part.slice(0, end), special: false }, { text: part.slice(end + 1), special: true })
      }
      return parts.filter((part) => part.text.length > 0)
    },
  }
}

function unusedCharacters(texts: readonly string[]): readonly [string, string] {
  const unused: string[] = []
  for (let code = 0xe000; unused.length < 2 && code < 0xf8ff; code++) {
    const character = String.fromCharCode(code)
    if (!texts.some((text) => text.includes(character))) unused.push(character)
  }
  const [open, close] = unused
  if (open === undefined || close === undefined) throw new Error('The messages contain every private-use character.')
  return [open, close]
}
