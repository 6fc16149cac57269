import type { MarkdownNode } from './read-markdown.ts'

/** Blocks that may still change when text is added: the last one, and the one before it, of which the last may become a part. */
const unsettled = 2

/** Markdown of a text that grows at its end: what has settled is read once, so that a long answer costs no more than its last lines. */
export class GrowingMarkdown {
  readonly #read: (text: string) => readonly MarkdownNode[]
  #settled: readonly MarkdownNode[] = []
  /** Where the settled blocks end. */
  #end = 0
  #text = ''

  constructor(read: (text: string) => readonly MarkdownNode[]) {
    this.#read = read
  }

  /** The blocks of a text; those of its beginning are the same objects as long as the text only grows. */
  update(text: string): readonly MarkdownNode[] {
    if (!text.startsWith(this.#text)) {
      this.#settled = []
      this.#end = 0
    }
    this.#text = text
    const blocks = this.#read(text.slice(this.#end))
    const next = blocks.at(-unsettled)?.position?.start.offset
    if (blocks.length > unsettled && next !== undefined) {
      this.#settled = [...this.#settled, ...blocks.slice(0, -unsettled)]
      // A block's indentation belongs to it.
      this.#end = text.lastIndexOf('\n', this.#end + next - 1) + 1
      return [...this.#settled, ...blocks.slice(-unsettled)]
    }
    return [...this.#settled, ...blocks]
  }
}
