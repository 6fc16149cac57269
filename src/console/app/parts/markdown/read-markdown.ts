import { fromMarkdown } from 'mdast-util-from-markdown'
import { gfmFromMarkdown } from 'mdast-util-gfm'
import { mathFromMarkdown } from 'mdast-util-math'
import { gfm } from 'micromark-extension-gfm'
import { math } from 'micromark-extension-math'

type Root = ReturnType<typeof fromMarkdown>

/** A node of a Markdown tree: a block, or a part of a line. */
export type MarkdownNode = Root['children'][number]

// Single dollars are prices more often than formulas.
const extensions = [gfm(), math({ singleDollarTextMath: false })]
const mdastExtensions = [gfmFromMarkdown(), mathFromMarkdown()]

/** Reads CommonMark with tables, task lists, footnotes and formulas between `$$`; any text is some Markdown. */
export function readMarkdown(text: string): readonly MarkdownNode[] {
  return fromMarkdown(text, { extensions, mdastExtensions }).children
}
