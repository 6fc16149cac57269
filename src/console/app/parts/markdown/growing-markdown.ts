import type { MarkdownNode } from './read-markdown.ts'

/** Blocks that may still change when text is added: the last one, and the one before it, of which the last may become a part. */
const unsettled = 2

/** A line that defines an address or a footnote, to which any other part of the text may refer. */
const definition = /^[ \t>*+\-\d.)]*\[[^\]\n]{1,1000}\]:/m

/** Whether parts of a finished text may depend on each other however far apart they are, so that it must be read as a whole. */
export function hasDefinitions(text: string): boolean {
  return definition.test(text)
}

/** A block of code, at the start of a line, that nothing has closed yet. */
interface OpenFence {
  readonly block: MarkdownNode & { readonly type: 'code' }
  /** Where its first line of code begins in the text. */
  readonly begin: number
  /** Matches every line that may close it. */
  readonly end: RegExp
}

/** Markdown of a text that grows at its end: what has settled is read once, so that a long answer costs no more than its last lines. */
export class GrowingMarkdown {
  readonly #read: (text: string) => readonly MarkdownNode[]
  #settled: readonly MarkdownNode[] = []
  /** Where the settled blocks end. */
  #end = 0
  #text = ''
  #last: readonly MarkdownNode[] = []
  #fence: OpenFence | null = null

  constructor(read: (text: string) => readonly MarkdownNode[]) {
    this.#read = read
  }

  /** The blocks of a text; those of its beginning are the same objects as long as the text only grows. */
  update(text: string): readonly MarkdownNode[] {
    if (!text.startsWith(this.#text)) {
      this.#settled = []
      this.#end = 0
      this.#fence = null
    }
    if (text !== this.#text && !this.#addCode(text)) this.#readEnd(text)
    this.#text = text
    return [...this.#settled, ...this.#last]
  }

  #readEnd(text: string): void {
    const blocks = this.#read(text.slice(this.#end))
    const next = blocks.at(-unsettled)?.position?.start.offset
    const isLong = blocks.length > unsettled && next !== undefined
    this.#fence = openFence(text, this.#end, blocks.at(-1))
    this.#last = isLong ? blocks.slice(-unsettled) : blocks
    if (!isLong) return
    this.#settled = [...this.#settled, ...blocks.slice(0, -unsettled)]
    // A block's indentation belongs to it.
    this.#end = text.lastIndexOf('\n', this.#end + next - 1) + 1
  }

  /** Adds lines of code to the fence that the text ends in without reading it again. @returns whether it could. */
  #addCode(text: string): boolean {
    const fence = this.#fence
    if (fence === null || fence.end.test(text.slice(text.lastIndexOf('\n', this.#text.length - 1) + 1))) return false
    const block = { ...fence.block, value: withoutLastBreak(text.slice(fence.begin)) }
    this.#last = [...this.#last.slice(0, -1), block]
    return true
  }
}

/** The fence that a text ends in; null where its last block is another one, is closed, or is indented. */
function openFence(text: string, end: number, last: MarkdownNode | undefined): OpenFence | null {
  if (last?.type !== 'code' || last.position?.start.offset === undefined || last.position.start.column !== 1) return null
  const at = end + last.position.start.offset
  const [mark] = /^(?:`{3,}|~{3,})/.exec(text.slice(at, at + 200)) ?? []
  const begin = text.indexOf('\n', at) + 1
  if (mark === undefined || begin === 0) return null
  const close = new RegExp(`^ {0,3}${mark}${mark[0]}*[ \\t]*\\r?$`, 'm')
  return close.test(text.slice(begin)) ? null : { block: last, begin, end: close }
}

/** A block of code does not hold the break behind its last line. */
function withoutLastBreak(text: string): string {
  return text.replace(/\r?\n$/, '')
}
