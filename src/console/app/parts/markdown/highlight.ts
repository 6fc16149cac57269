import { common, createLowlight } from 'lowlight'
import type { HighlightNode } from './highlight-node.ts'

const lowlight = createLowlight(common)

/** Highlights code; null for an unknown language. */
export function highlight(language: string, text: string): readonly HighlightNode[] | null {
  const name = language.toLowerCase()
  return lowlight.registered(name) ? lowlight.highlight(name, text).children : null
}
