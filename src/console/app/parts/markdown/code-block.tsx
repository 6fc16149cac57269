import { useSignal } from '@preact/signals'
import { type ComponentChildren, h, type VNode } from 'preact'
import { useEffect } from 'preact/hooks'
import { t } from '../../language/t.ts'
import { CopyButton } from '../copy-button.tsx'
import type { HighlightNode } from './highlight-node.ts'

/** Longer code is not highlighted, because that would take too long. */
const longestHighlighted = 20_000

/** Code that grows at shorter intervals, in milliseconds, is highlighted again when it has grown by a quarter or pauses. */
const restMs = 200

/** Lines of plain code that are laid out as one box. */
const pieceLines = 200

/** Code with its language, a copy button, and highlighting when it is ready. */
export function CodeBlock({ language, text }: { language: string | null; text: string }): VNode {
  const colours = useSignal<{ readonly text: string; readonly nodes: readonly HighlightNode[] } | null>(null)
  useEffect(() => {
    if (language === null || text.length > longestHighlighted) return
    let left = false
    const colour = async () => {
      const { highlight } = await import('./highlight.ts')
      const nodes = left ? null : highlight(language, text)
      if (nodes !== null) colours.value = { text, nodes }
    }
    const grown = text.length - (colours.peek()?.text.length ?? 0)
    const timer = setTimeout(colour, grown > text.length / 4 ? 0 : restMs)
    return () => {
      left = true
      clearTimeout(timer)
    }
  }, [language, text])
  const known = colours.value !== null && text.startsWith(colours.value.text) ? colours.value : null
  return (
    <figure class="code-block" dir="ltr">
      <figcaption>
        <span>{language ?? t`text`}</span>
        <CopyButton text={text} />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard */}
      <pre tabIndex={0}>
        <code>{known === null ? pieces(text) : [spans(known.nodes), ...pieces(text.slice(known.text.length))]}</code>
      </pre>
    </figure>
  )
}

/** Plain code in boxes of some lines each. Only the last box changes while the code grows, and boxes off screen are not drawn. */
function pieces(text: string): readonly ComponentChildren[] {
  const found: ComponentChildren[] = []
  for (let begin = 0; begin < text.length; ) {
    let end = begin
    for (let line = 0; line < pieceLines && end !== -1; line++) end = text.indexOf('\n', end + 1)
    const last = end === -1
    const piece = text.slice(begin, last ? text.length : end)
    if (begin === 0 && last) return [piece]
    found.push(
      <span class="code-piece" key={begin}>
        {piece}
      </span>,
    )
    begin = last ? text.length : end + 1
  }
  return found
}

function spans(nodes: readonly HighlightNode[]): ComponentChildren {
  return nodes.map((node, index) => {
    if (node.type === 'text') return node.value
    const names = Array.isArray(node.properties?.className) ? node.properties.className.join(' ') : ''
    return h('span', { key: index, class: names }, spans(node.children ?? []))
  })
}
