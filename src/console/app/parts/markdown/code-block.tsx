import { useSignal } from '@preact/signals'
import { type ComponentChildren, h, type VNode } from 'preact'
import { useEffect } from 'preact/hooks'
import { t } from '../../language/t.ts'
import { CopyButton } from '../copy-button.tsx'
import type { HighlightNode } from './highlight-node.ts'

/** Longer code is left plain: nobody reads its colours, and everybody would wait for them. */
const longestHighlighted = 20_000

/** Code with its language, a button that copies it, and its words in colour once those are known. */
export function CodeBlock({ language, text }: { language: string | null; text: string }): VNode {
  const colours = useSignal<{ readonly text: string; readonly nodes: readonly HighlightNode[] } | null>(null)
  useEffect(() => {
    if (language === null || text.length > longestHighlighted) return
    let left = false
    void import('./highlight.ts').then(({ highlight }) => {
      const nodes = highlight(language, text)
      if (!left && nodes !== null) colours.value = { text, nodes }
    })
    return () => {
      left = true
    }
  }, [language, text])
  const known = colours.value
  return (
    <figure class="code-block" dir="ltr">
      <figcaption>
        <span>{language ?? t`text`}</span>
        <CopyButton text={text} />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard */}
      <pre tabIndex={0}>
        <code>{known !== null && text.startsWith(known.text) ? [spans(known.nodes), text.slice(known.text.length)] : text}</code>
      </pre>
    </figure>
  )
}

function spans(nodes: readonly HighlightNode[]): ComponentChildren {
  return nodes.map((node, index) => {
    if (node.type === 'text') return node.value
    const names = Array.isArray(node.properties?.className) ? node.properties.className.join(' ') : ''
    return h('span', { key: index, class: names }, spans(node.children ?? []))
  })
}
