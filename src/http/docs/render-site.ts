import { type DocsPage, docsKinds, isListed } from './docs-pages.ts'

const style = `
:root { color-scheme: light dark; background: light-dark(#f6f1e8, #15110e); color: light-dark(#271e17, #f1e8dc); --line: color-mix(in srgb, currentColor 20%, transparent); --soft: color-mix(in srgb, currentColor 6%, transparent) }
* { box-sizing: border-box }
body { font: 16px/1.55 system-ui, sans-serif; margin: 0 auto; max-width: 78rem; padding: 0 1rem; overflow-wrap: break-word }
header { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: center; padding: .75rem 0; border-bottom: 1px solid var(--line) }
header a { font-weight: 600 }
form { margin-left: auto; display: flex; gap: .25rem; min-width: 0 }
input, button { font: inherit; padding: .25rem .5rem; min-width: 0 }
.columns { display: grid; grid-template: 'contents page' / 14rem minmax(0, 1fr); gap: 2rem }
main { grid-area: page }
nav { grid-area: contents }
.to-contents { display: none }
a { color: light-dark(#7a4720, #e2ab76) }
nav { padding-top: 1rem; font-size: .95rem }
nav ul { list-style: none; padding: 0; margin: .25rem 0 1rem }
nav strong { font-size: .8rem; text-transform: uppercase; letter-spacing: .04em }
nav a { display: block; padding: .2rem 0 }
nav a[aria-current] { font-weight: 600 }
main { min-width: 0; padding-bottom: 4rem }
main > :is(p, ul, ol) { max-width: 46rem }
pre { overflow-x: auto; padding: .75rem; background: var(--soft) }
code { font-size: .9em }
.wide { overflow-x: auto }
table { border-collapse: collapse; font-size: .9rem }
th, td { text-align: left; vertical-align: top; padding: .35rem .75rem .35rem 0; border-bottom: 1px solid var(--line) }
img { max-width: 100%; height: auto }
@media (min-width: 48rem) { td:last-child { min-width: 14rem } }
@media (max-width: 48rem) { .columns { display: block } .to-contents { display: inline } nav { border-top: 1px solid var(--line) } form { margin: 0; width: 100% } input { flex: 1 } }
`

/** Pages of the site may not run code, load anything from elsewhere or be framed. */
export const docsPolicy =
  "default-src 'none'; style-src 'unsafe-inline'; img-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

/** Renders a page with search and navigation, without scripts. */
export function renderSite(
  pages: readonly DocsPage[],
  {
    title,
    current,
    query = '',
    body,
  }: { readonly title: string; readonly current: string; readonly query?: string; readonly body: string },
): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title === 'Sepia' ? title : `${escapeHtml(title)} · Sepia`}</title>
<link rel="icon" href="/console/assets/drop-icon.svg" type="image/svg+xml">
<style>${style}</style>
</head>
<body>
<header>
<a href="/docs">Sepia</a> <a href="/console/">Console</a> <a class="to-contents" href="#contents">Contents</a>
<form action="/docs/search" role="search"><input type="search" name="q" aria-label="Search the documentation" value="${escapeHtml(query)}" required> <button>Search</button></form>
</header>
<div class="columns">
<main>
${body}
</main>
<nav id="contents" aria-label="Documentation">
${docsKinds.map((kind) => navigation(kind, pages, current)).join('\n')}
</nav>
</div>
</body>
</html>
`
}

/** Escapes text for HTML. */
export function escapeHtml(words: string): string {
  return words.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}

function navigation(kind: string, pages: readonly DocsPage[], current: string): string {
  const own = pages.filter((page) => page.kind === kind && isListed(page))
  const link = ({ name, title }: Pick<DocsPage, 'name' | 'title'>) =>
    `<li><a href="/docs/${name}"${name === current ? ' aria-current="page"' : ''}>${escapeHtml(title)}</a></li>`
  const api = kind === 'Reference' ? [link({ name: 'api', title: 'API' })] : []
  return `<strong>${kind}</strong><ul>${[...api, ...own.map(link)].join('')}</ul>`
}
