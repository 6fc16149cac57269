import { posix } from 'node:path'
import { micromark } from 'micromark'
import { gfm, gfmHtml } from 'micromark-extension-gfm'
import type { DocsPage } from './docs-pages.ts'

/** Link targets of pages. */
export interface DocsTargets {
  /** Page names by their paths in the repository. */
  readonly pages: ReadonlyMap<string, string>
  /** Paths of pictures below `docs`. */
  readonly pictures: ReadonlySet<string>
}

/**
 * Renders a page's Markdown as HTML. Headings get anchors, links lead to the site's pages, and links to other files of the repository become
 * plain text.
 */
export function renderMarkdown({ markdown, path }: Pick<DocsPage, 'markdown' | 'path'>, targets: DocsTargets): string {
  const html = micromark(markdown, { extensions: [gfm()], htmlExtensions: [gfmHtml()] })
  const anchors = new Map<string, number>()
  return (
    html
      .replaceAll(/<h([1-6])>(.*?)<\/h\1>/gs, (_, level: string, words: string) => {
        const slug = slugOf(words)
        const seen = anchors.get(slug) ?? 0
        anchors.set(slug, seen + 1)
        return `<h${level} id="${seen === 0 ? slug : `${slug}-${seen}`}">${words}</h${level}>`
      })
      // Scrollable areas must be reachable by keyboard. A heading without words is invalid.
      .replaceAll('<table>', '<div class="wide" tabindex="0"><table>')
      .replaceAll('</table>', '</table></div>')
      .replaceAll('<pre>', '<pre tabindex="0">')
      .replaceAll(/<th[^>]*><\/th>/g, '<td></td>')
      .replaceAll(/<a href="([^"]*)"([^>]*)>(.*?)<\/a>/gs, (_, href: string, more: string, words: string) => {
        const target = targetOf(href, path, targets)
        return target === null ? words : `<a href="${target}"${more}>${words}</a>`
      })
      .replaceAll(/<img src="([^"]*)"/g, (_, source: string) => `<img loading="lazy" src="${targetOf(source, path, targets) ?? ''}"`)
  )
}

/** The anchor of a heading, as GitHub generates it, so that links work in both places. */
export function slugOf(words: string): string {
  return words
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll(/&\w+;/g, '')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_\- ]/gu, '')
    .replaceAll(' ', '-')
}

function targetOf(href: string, from: string, { pages, pictures }: DocsTargets): string | null {
  if (/^(?:https?:|mailto:|#)/.test(href)) return href
  const [file = '', anchor] = href.split('#')
  const path = posix.normalize(posix.join(posix.dirname(from), file))
  const suffix = anchor === undefined ? '' : `#${anchor}`
  if (path === 'docs/api.md') return '/docs/api'
  const page = pages.get(path)
  if (page !== undefined) return `/docs/${page}${suffix}`
  const picture = path.replace(/^docs\//, '')
  return pictures.has(picture) ? `/docs/${picture}` : null
}
