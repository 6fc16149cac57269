export type Block =
  | { readonly type: 'paragraph'; readonly text: string }
  | { readonly type: 'heading'; readonly text: string }
  | { readonly type: 'quote'; readonly text: string }
  | { readonly type: 'code'; readonly text: string }
  | { readonly type: 'list'; readonly ordered: boolean; readonly start: number; readonly items: readonly string[] }

const fence = /^\s*```/
const item = /^\s*(?:[-*+]|(\d{1,9})[.)])\s+(.*)$/
const heading = /^#{1,6}\s+(.*)$/
const quote = /^>\s?(.*)$/

/** Splits Markdown into its blocks; an open code fence at the end counts as closed, since text may still be coming. */
export function parseBlocks(markdown: string): readonly Block[] {
  const lines = markdown.split('\n')
  const blocks: Block[] = []
  for (let at = 0; at < lines.length; ) {
    const line = lines[at] ?? ''
    if (line.trim() === '') {
      at++
    } else if (fence.test(line)) {
      const body = takeWhile(lines, at + 1, (next) => !fence.test(next))
      blocks.push({ type: 'code', text: body.join('\n') })
      at += body.length + 2
    } else if (item.test(line)) {
      const body = takeWhile(lines, at, (next) => item.test(next))
      blocks.push(listOf(body))
      at += body.length
    } else if (quote.test(line)) {
      const body = takeWhile(lines, at, (next) => quote.test(next))
      blocks.push({ type: 'quote', text: body.map((next) => next.replace(quote, '$1')).join('\n') })
      at += body.length
    } else if (heading.test(line)) {
      blocks.push({ type: 'heading', text: line.replace(heading, '$1') })
      at++
    } else {
      const body = takeWhile(lines, at, (next) => next.trim() !== '' && ![fence, item, quote, heading].some((other) => other.test(next)))
      blocks.push({ type: 'paragraph', text: body.join('\n') })
      at += body.length
    }
  }
  return blocks
}

function takeWhile(lines: readonly string[], from: number, belongs: (line: string) => boolean): readonly string[] {
  const end = lines.findIndex((line, index) => index >= from && !belongs(line))
  return lines.slice(from, end === -1 ? lines.length : end)
}

function listOf(lines: readonly string[]): Block {
  const first = lines[0]?.match(item)?.[1]
  return {
    type: 'list',
    ordered: first !== undefined,
    start: Number(first ?? 1),
    items: lines.map((line) => line.replace(item, '$2')),
  }
}
