import { type DocsPage, readDocsPages, readDocsPictures } from './docs-pages.ts'
import { renderMarkdown, slugOf } from './render-markdown.ts'
import { escapeHtml, renderSite } from './render-site.ts'

/** The documentation as a site, read on the first visit. Each page is rendered once. */
export class DocsSite {
  readonly #pages: readonly DocsPage[] = readDocsPages()
  readonly #pictures: ReadonlyMap<string, Buffer> = readDocsPictures()
  readonly #rendered = new Map<string, string>()

  /** Names of all pages. */
  get names(): readonly string[] {
    return this.#pages.map(({ name }) => name)
  }

  /** A page as HTML; null when there is no page of this name. */
  page(name: string): string | null {
    const page = this.#pages.find((each) => each.name === name)
    if (page === undefined) return null
    const known = this.#rendered.get(name)
    if (known !== undefined) return known
    const targets = { pages: new Map(this.#pages.map((each) => [each.path, each.name])), pictures: new Set(this.#pictures.keys()) }
    const html = renderSite(this.#pages, { title: page.title, current: name, body: renderMarkdown(page, targets) })
    this.#rendered.set(name, html)
    return html
  }

  /** A picture; null when there is no picture of this name. */
  picture(name: string): Buffer | null {
    return this.#pictures.get(name) ?? null
  }

  /** The search results as a page. */
  search(query: string): string {
    const hits = searchDocs(this.#pages, query)
    const items = hits.map(
      ({ page, heading, anchor, excerpt }) =>
        `<li><a href="/docs/${page.name}#${anchor}">${escapeHtml(page.title)}: ${escapeHtml(heading)}</a><br>${escapeHtml(excerpt)}</li>`,
    )
    const found = items.length === 0 ? '<p>No results. Try fewer or different words.</p>' : `<ul>${items.join('\n')}</ul>`
    return renderSite(this.#pages, { title: 'Search', current: '', query, body: `<h1>Search</h1>${found}` })
  }
}

/** A section that matches a search. */
interface DocsHit {
  readonly page: DocsPage
  readonly heading: string
  readonly anchor: string
  /** The first line that holds a word, without Markdown. */
  readonly excerpt: string
  readonly score: number
}

const maxHits = 30
const maxWords = 8
const excerptLength = 200

/** Finds the sections that contain every word, best first. Words in titles weigh most, then those in headings. */
function searchDocs(pages: readonly DocsPage[], query: string): readonly DocsHit[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean).slice(0, maxWords)
  if (words.length === 0) return []
  return pages
    .flatMap((page) => sections(page.markdown).flatMap((section) => rate(page, section, words)))
    .toSorted((a, b) => b.score - a.score)
    .slice(0, maxHits)
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
