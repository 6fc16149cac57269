import { type Extension, fromMarkdown } from 'mdast-util-from-markdown'
import { gfmFromMarkdown } from 'mdast-util-gfm'
import { mathFromMarkdown } from 'mdast-util-math'
import { gfm } from 'micromark-extension-gfm'
import { math } from 'micromark-extension-math'
import { mathInText } from './math-in-text.ts'
import { openMathInText } from './open-math.ts'

type Root = ReturnType<typeof fromMarkdown>

/** A node of a Markdown tree: a block, or a part of a line. */
export type MarkdownNode = Root['children'][number]

const extensions = [gfm(), math({ singleDollarTextMath: false })]

/** An inline formula between `$$`, or `\[` and `\]`, is displayed on a line of its own, as its authors intend. */
const displayFromMarkdown: Extension = {
  enter: {
    mathText(token) {
      const type = /^(?:\$\$|\\\[)/.test(this.sliceSerialize(token)) ? 'math' : 'inlineMath'
      this.enter({ type, value: '' }, token)
      this.buffer()
    },
  },
  exit: {
    mathText(token) {
      const value = this.resume()
      const node = this.stack.at(-1)
      if (node?.type === 'math' || node?.type === 'inlineMath') node.value = value
      this.exit(token)
    },
  },
}
const mdastExtensions = [gfmFromMarkdown(), mathFromMarkdown(), displayFromMarkdown]

/** Shown for a formula until its end arrives: half a formula cannot be drawn, and its source would jump. */
const unfinished = '…'

const unfinishedFromMarkdown: Extension = {
  exit: {
    mathText(token) {
      const value = this.resume()
      const node = this.stack.at(-1)
      const isOpen = value.trim() === '' && !/(?:\\[\])]|\$\$)$/.test(this.sliceSerialize(token).slice(2))
      if (node !== undefined) Object.assign(node, isOpen ? { type: 'text', value: unfinished } : { value })
      this.exit(token)
    },
  },
}

/**
 * Parses CommonMark with tables, task lists, footnotes and formulas (`$…$`, `$$…$$`, `\(…\)`, `\[…\]`). Any text is valid.
 *
 * @param grows Whether more text follows, so that a formula that is open at the end is shown as unfinished.
 */
export function readMarkdown(text: string, grows = false): readonly MarkdownNode[] {
  const fenced = withMathFences(text)
  if (!grows) return fromMarkdown(fenced, { extensions: [...extensions, mathInText], mdastExtensions }).children
  const { children } = fromMarkdown(fenced, {
    extensions: [...extensions, openMathInText(text), mathInText],
    mdastExtensions: [...mdastExtensions, unfinishedFromMarkdown],
  })
  hideOpenBlock(children, text)
  return children
}

/** Replaces a block formula at the end of the text that is not closed. */
function hideOpenBlock(nodes: MarkdownNode[], text: string): void {
  const last = nodes.at(-1)
  if (last?.type === 'math') {
    const [, ...lines] = text.slice(last.position?.start.offset).trimEnd().split('\n')
    if (/^[ \t>]*(?:\${2,}|\\\])[ \t]*$/.test(lines.at(-1) ?? '')) return
    const { position } = last
    nodes[nodes.length - 1] = { type: 'paragraph', children: [{ type: 'text', value: unfinished }], ...(position && { position }) }
  } else if (last?.type === 'list' || last?.type === 'listItem' || last?.type === 'blockquote') hideOpenBlock(last.children, text)
}

/**
 * Replaces formula brackets on lines of their own by `$$` fences of the same length, so that all offsets stay valid. Code fences are left
 * unchanged.
 */
function withMathFences(text: string): string {
  if (!text.includes('\\[')) return text
  let fence: string | null = null
  return text
    .split('\n')
    .map((line) => {
      const word = line.trim()
      const [mark] = /^(?:`{3,}|~{3,})/.exec(word) ?? []
      if (fence === null) {
        if (mark !== undefined) fence = mark
        if (word !== '\\[') return line
        fence = '\\]'
        return line.replace('\\[', '$$$$')
      }
      if (fence === '\\]' ? word !== fence : mark === undefined || word !== mark || !mark.startsWith(fence)) return line
      const isMath = fence === '\\]'
      fence = null
      return isMath ? line.replace('\\]', '$$$$') : line
    })
    .join('\n')
}
