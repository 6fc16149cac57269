import type { MarkdownNode } from './read-markdown.ts'

/** The number of last blocks that may still change when text is added: the last may become a part of the one before. */
const unsettled = 2

/** A definition of a link or a footnote, which any other part of the text may refer to. */
const definition = /^[ \t>*+\-\d.)]*\[[^\]\n]{1,1000}\]:/m

/** Whether distant parts of a finished text may depend on each other, so that it must be parsed as a whole. */
export function hasDefinitions(text: string): boolean {
  return definition.test(text)
}

/** The first line that may open a fence, with its line break. */
const fenceLine = /^(?:`{3,}|~{3,}).*\n/m

/** A fence at the start of a line that is not closed yet. */
interface OpenFence {
  readonly block: MarkdownNode & { readonly type: 'code' }
  /** Offset of its first line of code. */
  readonly begin: number
  /** Matches its closing line. */
  readonly end: RegExp
  /** Offset of the first line that may still close it. */
  unread: number
}

/**
 * Parses Markdown of a text that grows at its end. Settled blocks are parsed once, so that a long answer costs no more than its last lines.
 */
export class GrowingMarkdown {
  readonly #read: (text: string, grows: boolean) => readonly MarkdownNode[]
  #settled: readonly MarkdownNode[] = []
  /** Offset of the end of the settled blocks. */
  #end = 0
  #text = ''
  #grows = false
  #last: readonly MarkdownNode[] = []
  #fence: OpenFence | null = null

  constructor(read: (text: string, grows: boolean) => readonly MarkdownNode[]) {
    this.#read = read
  }

  /**
   * The blocks of a text. Settled blocks stay the same objects as long as the text only grows.
   *
   * @param grows Whether more text follows.
   */
  update(text: string, grows = false): readonly MarkdownNode[] {
    if (!text.startsWith(this.#text)) {
      this.#settled = []
      this.#end = 0
      this.#fence = null
    }
    const isNew = text !== this.#text || grows !== this.#grows
    this.#grows = grows
    if (isNew) this.#grow(text)
    this.#text = text
    return [...this.#settled, ...this.#last]
  }

  #grow(text: string): void {
    while (this.#fence === null || this.#addCode(text, this.#fence)) {
      // Code in an open fence is not Markdown and need not be parsed.
      const line = fenceLine.exec(text.slice(this.#end))
      if (line !== null) this.#readUntil(text, this.#end + line.index + line[0].length)
      if (this.#fence !== null) continue
      this.#readUntil(text, text.length)
      return
    }
  }

  #readUntil(text: string, until: number): void {
    const blocks = this.#read(text.slice(this.#end, until), this.#grows)
    const next = blocks.at(-unsettled)?.position?.start.offset
    const isLong = blocks.length > unsettled && next !== undefined
    this.#fence = openFence(text.slice(0, until), this.#end, blocks.at(-1))
    this.#last = isLong ? blocks.slice(-unsettled) : blocks
    if (!isLong) return
    this.#settled = [...this.#settled, ...blocks.slice(0, -unsettled)]
    // A block's indentation belongs to it.
    this.#end = text.lastIndexOf('\n', this.#end + next - 1) + 1
  }

  /**
   * Adds lines of code to the open fence without parsing it again.
   *
   * @returns whether the fence is closed, so that the text before its end is settled.
   */
  #addCode(text: string, fence: OpenFence): boolean {
    const close = fence.end.exec(text.slice(fence.unread))
    const end = close === null ? text.length : fence.unread + close.index
    const block = { ...fence.block, value: withoutLastBreak(text.slice(fence.begin, end)) }
    const after = close === null ? end : end + close[0].length + 1
    // A line without a line break may still become code.
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

/** The open fence at the end of a text; null when the last block is another one, is closed, or is indented. */
function openFence(text: string, end: number, last: MarkdownNode | undefined): OpenFence | null {
  if (last?.type !== 'code' || last.position?.start.offset === undefined || last.position.start.column !== 1) return null
  const at = end + last.position.start.offset
  const [mark] = /^(?:`{3,}|~{3,})/.exec(text.slice(at, at + 200)) ?? []
  const begin = text.indexOf('\n', at) + 1
  if (mark === undefined || begin === 0) return null
  const close = new RegExp(`^ {0,3}${mark}${mark[0]}*[ \\t]*\\r?$`, 'm')
  return close.test(text.slice(begin)) ? null : { block: last, begin, end: close, unread: begin }
}

/** The value of a code block has no line break after its last line. */
function withoutLastBreak(text: string): string {
  return text.slice(0, text.length - (text.endsWith('\r\n') ? 2 : text.endsWith('\n') ? 1 : 0))
}
