import { common, createLowlight } from 'lowlight'
import type { HighlightNode } from './highlight-node.ts'

const lowlight = createLowlight(common)

/** Code with its words marked, or null for a language nobody here knows. */
export function highlight(language: string, text: string): readonly HighlightNode[] | null {
  const name = language.toLowerCase()
  return lowlight.registered(name) ? lowlight.highlight(name, text).children : null
}
