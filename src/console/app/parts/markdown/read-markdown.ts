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

/** A formula between `$$` or `\[` and `\]` inside a line is set on a line of its own, as everybody who writes these means it. */
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

/** Reads CommonMark with tables, task lists, footnotes and formulas (`$…$`, `$$…$$`, `\(…\)`, `\[…\]`); any text is some Markdown. */
export function readMarkdown(text: string): readonly MarkdownNode[] {
  const { children } = fromMarkdown(withMathFences(text), { extensions, mdastExtensions })
  return children
}

/**
 * Writes brackets of formulas that stand alone on their lines as the fences `$$`, of the same length, so that every block
 * stays where it is in the text. What stands in a fence of code stays as it is.
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
