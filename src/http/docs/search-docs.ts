import type { DocsPage } from './docs-pages.ts'
import { slugOf } from './render-markdown.ts'

/** A section that matches a search. */
export interface DocsHit {
  readonly page: DocsPage
  readonly heading: string
  readonly anchor: string
  /** The first line that holds a word, without Markdown. */
  readonly excerpt: string
  readonly score: number
}

const mostHits = 30
const mostWords = 8
const excerptLength = 200

/** Finds the sections that contain every word, best first. Words in titles weigh most, then those in headings. */
export function searchDocs(pages: readonly DocsPage[], query: string): readonly DocsHit[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean).slice(0, mostWords)
  if (words.length === 0) return []
  return pages
    .flatMap((page) => sections(page.markdown).flatMap((section) => rate(page, section, words)))
    .toSorted((a, b) => b.score - a.score)
    .slice(0, mostHits)
}

interface Section {
  readonly heading: string
  readonly text: string
}

function rate(page: DocsPage, { heading, text }: Section, words: readonly string[]): readonly DocsHit[] {
  const [title, head, body] = [page.title, heading, text].map((part) => part.toLowerCase())
  let score = 0
  for (const word of words) {
    const found = (title?.includes(word) ? 8 : 0) + (head?.includes(word) ? 5 : 0) + Math.min(4, (body?.split(word).length ?? 1) - 1)
    if (found === 0) return []
    score += found
  }
  const line = text.split('\n').find((each) => words.some((word) => each.toLowerCase().includes(word))) ?? ''
  return [{ page, heading, anchor: slugOf(heading.replaceAll(/[`*]/g, '')), excerpt: excerptOf(line), score }]
}

function excerptOf(line: string): string {
  const words = line
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/^(?:- |\d+\. |\| )|\*\*?|`| \|$/g, '')
    .replaceAll(' | ', ' · ')
    .trim()
  return words.length <= excerptLength ? words : `${words.slice(0, excerptLength).replace(/\s+\S*$/, '')} …`
}

/** Splits a page at its headings, ignoring `#` in code blocks. */
function sections(markdown: string): readonly Section[] {
  const found: { heading: string; lines: string[] }[] = []
  let inCode = false
  for (const line of markdown.split('\n')) {
    if (line.startsWith('```')) inCode = !inCode
    const heading = inCode ? null : /^#{1,4} (.+)$/.exec(line)
    if (heading?.[1] !== undefined) found.push({ heading: heading[1], lines: [] })
    else found.at(-1)?.lines.push(line)
  }
  return found.map(({ heading, lines }) => ({ heading, text: lines.join('\n') }))
}
