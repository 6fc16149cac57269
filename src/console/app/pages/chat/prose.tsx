import type { ComponentChildren, VNode } from 'preact'
import { type Block, parseBlocks } from './markdown-blocks.ts'
import { type Inline, parseInline } from './markdown-inline.ts'

/** Markdown as the models write it; always as text nodes, never as HTML. */
export function Prose({ text, caret }: { text: string; caret: boolean }): VNode {
  const blocks = parseBlocks(text)
  const last = blocks.length - 1
  const mark = caret ? <span class="caret" /> : null
  return (
    <div class="prose">
      {blocks.length === 0 ? <p>{mark}</p> : null}
      {blocks.map((block, index) => (
        <BlockView block={block} key={index}>
          {index === last ? mark : null}
        </BlockView>
      ))}
    </div>
  )
}

function BlockView({ block, children }: { block: Block; children: ComponentChildren }): VNode {
  switch (block.type) {
    case 'code':
      return (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard
        <pre tabIndex={0}>
          <code>{block.text}</code>
          {children}
        </pre>
      )
    case 'list': {
      const items = block.items.map((item, index) => (
        <li key={index}>
          {inline(item)}
          {index === block.items.length - 1 ? children : null}
        </li>
      ))
      return block.ordered ? <ol start={block.start}>{items}</ol> : <ul>{items}</ul>
    }
    case 'heading':
      return (
        <h3>
          {inline(block.text)}
          {children}
        </h3>
      )
    case 'quote':
      return (
        <blockquote>
          {inline(block.text)}
          {children}
        </blockquote>
      )
    case 'paragraph':
      return (
        <p>
          {inline(block.text)}
          {children}
        </p>
      )
  }
}

function inline(text: string): ComponentChildren {
  return parseInline(text).map(inlineView)
}

function inlineView(part: Inline): ComponentChildren {
  switch (part.type) {
    case 'text':
      return part.text
    case 'break':
      return <br />
    case 'code':
      return <code>{part.text}</code>
    case 'strong':
      return <strong>{part.text}</strong>
    case 'emphasis':
      return <em>{part.text}</em>
    case 'link':
      return (
        <a href={part.href} target="_blank" rel="noreferrer noopener">
          {part.text}
        </a>
      )
  }
}
