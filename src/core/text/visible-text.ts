import type { TextPart } from '../text-generation.ts'

/** A character that leaves something to see; by Unicode's classes of what does not: control, format, surrogate, separator and ignorable. */
const visible = String.raw`[^\p{Cc}\p{Cf}\p{Cs}\p{Z}\p{Default_Ignorable_Code_Point}]`
const anyVisible = new RegExp(visible, 'u')

/** What a name on one line matches: nothing that controls, and something to see. For use with the flag `u`. */
export const nameOnOneLine = String.raw`^(?=.*${visible})\P{Cc}+$`

/** Whether a text shows anything at all: one of spaces and zero-width characters does not. */
export function isVisible(text: string): boolean {
  return anyVisible.test(text)
}

/** A text on one line: runs of spaces, line ends and control characters are one space. */
export function onOneLine(text: string): string {
  return text.replace(/[\s\p{Cc}]+/gu, ' ').trim()
}

/** The beginning of a text, in characters as people count them, none of them cut in two. */
export function beginning(text: string, most: number): string {
  // A character takes two units at most.
  return [...text.slice(0, 2 * most)].slice(0, most).join('')
}

/** What an answer is made of. */
export type WrittenPart = Exclude<TextPart, { readonly type: 'prompt' }>

/**
 * Adds a part to those before it, as one with the last where that goes on. Log probabilities and token ids are left out.
 *
 * @param before Changed in place.
 */
export function joinPart(before: WrittenPart[], part: WrittenPart): void {
  const last = before.at(-1)
  if (part.type === 'text' || part.type === 'thoughts') {
    const { type, choice, text } = part
    if (last?.type === type && last.choice === choice) before[before.length - 1] = { type, choice, text: last.text + text }
    else before.push({ type, choice, text })
  } else if (part.type === 'tool-arguments' && last?.type === 'tool-arguments' && last.choice === part.choice && last.index === part.index)
    before[before.length - 1] = { ...part, fragment: last.fragment + part.fragment }
  else before.push(part)
}
