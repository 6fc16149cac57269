import type { MarkdownNode } from './read-markdown.ts'

/** Blocks that may still change when text is added: the last one, and the one before it, of which the last may become a part. */
const unsettled = 2

/** A line that defines an address or a footnote, to which any other part of the text may refer. */
const definition = /^[ \t>*+\-\d.)]*\[[^\]\n]{1,1000}\]:/m

/** Whether parts of a finished text may depend on each other however far apart they are, so that it must be read as a whole. */
export function hasDefinitions(text: string): boolean {
  return definition.test(text)
}

/** The first line that may open a fence, with its break. */
const fenceLine = /^(?:`{3,}|~{3,}).*\n/m

/** A block of code, at the start of a line, that nothing has closed yet. */
interface OpenFence {
  readonly block: MarkdownNode & { readonly type: 'code' }
  /** Where its first line of code begins in the text. */
  readonly begin: number
  /** Matches the line that closes it. */
  readonly end: RegExp
  /** Where the first line begins that may still close it. */
  unread: number
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
    if (text !== this.#text) this.#grow(text)
    this.#text = text
    return [...this.#settled, ...this.#last]
  }

  #grow(text: string): void {
    while (this.#fence === null || this.#addCode(text, this.#fence)) {
      // However much code follows the line that opens a fence, it is no Markdown.
      const line = fenceLine.exec(text.slice(this.#end))
      if (line !== null) this.#readUntil(text, this.#end + line.index + line[0].length)
      if (this.#fence !== null) continue
      this.#readUntil(text, text.length)
      return
    }
  }

  #readUntil(text: string, until: number): void {
    const blocks = this.#read(text.slice(this.#end, until))
    const next = blocks.at(-unsettled)?.position?.start.offset
    const isLong = blocks.length > unsettled && next !== undefined
    this.#fence = openFence(text.slice(0, until), this.#end, blocks.at(-1))
    this.#last = isLong ? blocks.slice(-unsettled) : blocks
    if (!isLong) return
    this.#settled = [...this.#settled, ...blocks.slice(0, -unsettled)]
    // A block's indentation belongs to it.
    this.#end = text.lastIndexOf('\n', this.#end + next - 1) + 1
  }

  /** Adds lines of code to the fence that the text ends in without reading it again. @returns whether it is closed, and with it what stands before it settled. */
  #addCode(text: string, fence: OpenFence): boolean {
    const close = fence.end.exec(text.slice(fence.unread))
    const end = close === null ? text.length : fence.unread + close.index
    const block = { ...fence.block, value: withoutLastBreak(text.slice(fence.begin, end)) }
    const after = close === null ? end : end + close[0].length + 1
    // A line that has no break yet may still become code.
    const isClosed = close !== null && after <= text.length
    if (!isClosed) fence.unread = text.lastIndexOf('\n') + 1
    const before = this.#last.slice(0, -1)
    this.#last = isClosed ? [] : [...before, block]
    if (!isClosed) return false
    this.#settled = [...this.#settled, ...before, block]
    this.#end = after
    this.#fence = null
    return after < text.length
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
  return close.test(text.slice(begin)) ? null : { block: last, begin, end: close, unread: begin }
}

/** A block of code does not hold the break behind its last line. */
function withoutLastBreak(text: string): string {
  return text.slice(0, text.length - (text.endsWith('\r\n') ? 2 : text.endsWith('\n') ? 1 : 0))
}
