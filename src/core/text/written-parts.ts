import type { TextPart } from '../text-generation.ts'

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
