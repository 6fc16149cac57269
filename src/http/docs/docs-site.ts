import { type DocsPage, readDocsPages, readDocsPictures } from './docs-pages.ts'
import { renderMarkdown } from './render-markdown.ts'
import { escapeHtml, renderSite } from './render-site.ts'
import { searchDocs } from './search-docs.ts'

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
