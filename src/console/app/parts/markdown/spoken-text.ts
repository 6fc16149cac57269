import type { MarkdownNode } from './read-markdown.ts'

/** Characters of a text that are announced at most. */
const longestSpoken = 300

/** The beginning of a text for screen readers, without Markdown syntax. */
export function spokenText(blocks: readonly MarkdownNode[]): string {
  const words = blocks.map(wordsOf).join(' ').replace(/\s+/g, ' ').trim()
  if (words.length <= longestSpoken) return words
  const cut = words.slice(0, longestSpoken)
  const sentence = /^.*[.!?。](?=\s)/s.exec(cut)?.[0]
  return sentence ?? `${cut.slice(0, cut.lastIndexOf(' '))} …`
}

interface Spoken {
  readonly type: string
  readonly value?: string
  readonly alt?: string | null
  readonly children?: readonly unknown[]
}

function wordsOf(node: unknown): string {
  const { type, value = '', alt, children } = node as Spoken
  if (type === 'html' || type === 'definition') return ''
  if (children === undefined) return alt ?? value
  const isLine = ['paragraph', 'heading', 'emphasis', 'strong', 'delete', 'link', 'tableCell'].includes(type)
  return children.map(wordsOf).join(isLine ? '' : ' ')
}
