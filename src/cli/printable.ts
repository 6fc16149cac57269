/** Control characters but for line breaks, and those that turn the direction of text: in a terminal they could hide or forge what stands there. */
const unprintable = /[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu

/** A text that only shows itself: other people's names, and what servers answer, may hold anything. */
export function printable(text: string): string {
  return text.replace(unprintable, (character) => (character === '\n' ? character : written(character)))
}

/** As {@link printable}, on one line. */
export function printableLine(text: string): string {
  return text.replace(unprintable, written)
}

function written(character: string): string {
  return `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`
}
