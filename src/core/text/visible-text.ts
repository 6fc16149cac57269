import type { TextPart } from '../text-generation.ts'

/** A visible character: none of Unicode's control, format, surrogate, separator and ignorable characters. */
const visible = String.raw`[^\p{Cc}\p{Cf}\p{Cs}\p{Z}\p{Default_Ignorable_Code_Point}]`
const anyVisible = new RegExp(visible, 'u')

/** Pattern for single-line names: no control characters, and at least one visible one. Requires the flag `u`. */
export const nameOnOneLine = String.raw`^(?=.*${visible})\P{Cc}+$`

/** Whether a text has any visible character. */
export function isVisible(text: string): boolean {
  return anyVisible.test(text)
}

/** Collapses spaces, line ends and control characters into single spaces. */
export function onOneLine(text: string): string {
  return text.replace(/[\s\p{Cc}]+/gu, ' ').trim()
}

/** The first `most` characters of a text; never splits a character. */
export function beginning(text: string, most: number): string {
  // A character has at most two UTF-16 units.
  return [...text.slice(0, 2 * most)].slice(0, most).join('')
}

/** Content parts of an answer. */
export type WrittenPart = Exclude<TextPart, { readonly type: 'prompt' }>

/**
 * Appends a part, merging it into the last one if it continues it. Log probabilities and token ids are dropped.
 *
 * @param before Modified in place.
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
