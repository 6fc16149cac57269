import { type Extension, fromMarkdown } from 'mdast-util-from-markdown'
import { gfmFromMarkdown } from 'mdast-util-gfm'
import { mathFromMarkdown } from 'mdast-util-math'
import { gfm } from 'micromark-extension-gfm'
import { math } from 'micromark-extension-math'
import { mathInText } from './math-in-text.ts'

type Root = ReturnType<typeof fromMarkdown>

/** A node of a Markdown tree: a block, or a part of a line. */
export type MarkdownNode = Root['children'][number]

const extensions = [gfm(), math({ singleDollarTextMath: false }), mathInText]

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

/** Parses CommonMark with tables, task lists, footnotes and formulas (`$…$`, `$$…$$`, `\(…\)`, `\[…\]`). Any text is valid. */
export function readMarkdown(text: string): readonly MarkdownNode[] {
  const { children } = fromMarkdown(withMathFences(text), { extensions, mdastExtensions })
  return children
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
