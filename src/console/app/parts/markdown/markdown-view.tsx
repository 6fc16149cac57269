import { Component, type ComponentChildren, h, type VNode } from 'preact'
import { t } from '../../language/t.ts'
import { CodeBlock } from './code-block.tsx'
import { Formula } from './formula.tsx'
import type { MarkdownNode } from './read-markdown.ts'
import { safeAddress } from './safe-address.ts'

type Nodes = readonly MarkdownNode[]
type NodeOf<Type extends MarkdownNode['type']> = Extract<MarkdownNode, { type: Type }>

/** Markdown blocks as elements and text nodes. Nothing is parsed as HTML. */
export function MarkdownView({ blocks }: { blocks: Nodes }): VNode {
  return (
    <>
      {blocks.map((block, index) => (
        <Block key={index} node={block} />
      ))}
    </>
  )
}

/** A block that is rendered again only when its node changes. While a text grows, most nodes stay the same objects. */
class Block extends Component<{ readonly node: MarkdownNode }> {
  override shouldComponentUpdate(next: { readonly node: MarkdownNode }): boolean {
    return next.node !== this.props.node
  }

  render(): ComponentChildren {
    return nodeView(this.props.node)
  }
}

function children({ children: inner }: { readonly children: Nodes }): ComponentChildren {
  return inner.map((node, index) => h(Node, { key: index, node }))
}

function Node({ node }: { node: MarkdownNode }): VNode {
  return <>{nodeView(node)}</>
}

function nodeView(node: MarkdownNode): ComponentChildren {
  switch (node.type) {
    case 'paragraph':
      return <p>{children(node)}</p>
    case 'heading':
      return headingView(node)
    case 'blockquote':
      return <blockquote>{children(node)}</blockquote>
    case 'list':
      return node.ordered ? <ol start={node.start ?? 1}>{children(node)}</ol> : <ul>{children(node)}</ul>
    case 'listItem':
      return itemView(node)
    case 'table':
      return tableView(node)
    case 'thematicBreak':
      return <hr />
    case 'code':
      return <CodeBlock language={node.lang ?? null} text={node.value} />
    case 'math':
      return <Formula source={node.value} display />
    case 'inlineMath':
      return <Formula source={node.value} />
    case 'text':
    case 'html':
      return node.value
    case 'emphasis':
      return <em>{children(node)}</em>
    case 'strong':
      return <strong>{children(node)}</strong>
    case 'delete':
      return <del>{children(node)}</del>
    case 'inlineCode':
      return <code>{node.value}</code>
    case 'break':
      return <br />
    case 'link':
      return linkView(node.url, children(node))
    case 'image':
      // A picture would be loaded from an address that the model chose, so it becomes a link.
      return linkView(node.url, node.alt || node.url)
    case 'linkReference':
      return <>{children(node)}</>
    case 'imageReference':
      return node.alt
    case 'footnoteReference':
      return <sup>{node.identifier}</sup>
    case 'footnoteDefinition':
      return (
        <aside class="footnote">
          <sup>{node.identifier}</sup>
          <div>{children(node)}</div>
        </aside>
      )
    default:
      return null
  }
}

function headingView(node: NodeOf<'heading'>): VNode {
  // The page has its own first- and second-level headings.
  const level = Math.min(6, node.depth + 2)
  return h(`h${level}`, { class: `heading-${Math.min(3, node.depth)}` }, children(node))
}

function itemView(node: NodeOf<'listItem'>): VNode {
  // In a list without blank lines, items contain no paragraphs.
  const inner = node.spread
    ? children(node)
    : node.children.map((child, index) => (child.type === 'paragraph' ? children(child) : h(Node, { key: index, node: child })))
  if (node.checked === null || node.checked === undefined) return <li>{inner}</li>
  return (
    <li class="task">
      <input type="checkbox" checked={node.checked} disabled aria-label={node.checked ? t`Done` : t`To do`} />
      <span>{inner}</span>
    </li>
  )
}

function tableView({ children: rows, align }: NodeOf<'table'>): VNode {
  const [head, ...body] = rows
  const style = (column: number) => ({ textAlign: align?.[column] ?? 'start' })
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard
    <section class="table-scroll" tabIndex={0} aria-label={t`Table`}>
      <table>
        <thead>
          <tr>
            {head?.children.map((cell, column) => (
              <th key={column} scope="col" style={style(column)}>
                {children(cell)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {body.map((row, index) => (
            <tr key={index}>
              {row.children.map((cell, column) => (
                <td key={column} style={style(column)}>
                  {children(cell)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function linkView(address: string, inner: ComponentChildren): ComponentChildren {
  const href = safeAddress(address)
  if (href === null) return inner
  return (
    <a href={href} target="_blank" rel="noreferrer noopener">
      {inner}
    </a>
  )
}
