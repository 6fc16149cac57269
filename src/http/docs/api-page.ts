import type { DocumentedRoute } from '../openapi/documented-routes.ts'
import { describePurpose, describeScopes } from '../openapi/documented-routes.ts'
import { type FieldRow, fieldRows, parameterRows } from '../openapi/field-rows.ts'
import { escapeHtml } from './render-site.ts'

const style = `
:root { color-scheme: light dark; --line: color-mix(in srgb, currentColor 20%, transparent) }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
h2 { margin-top: 3rem; border-top: 1px solid var(--line); padding-top: 1rem; overflow-wrap: anywhere }
h2 code { font-size: 1.1rem }
table { border-collapse: collapse; width: 100%; font-size: .9rem }
th, td { text-align: left; vertical-align: top; padding: .35rem .75rem .35rem 0; border-bottom: 1px solid var(--line) }
.wide { overflow-x: auto }
`

/** Renders the public interface as a page that loads nothing else. */
export function renderApiPage(routes: readonly DocumentedRoute[]): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Sepia: the interface</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>Sepia: the interface</h1>
<p>The same to try: <a href="/docs/api">docs/api</a>; as data: <a href="/openapi.json">openapi.json</a>. A field that is null counts as left out. Refusals carry
<code>{"error": {"message", "type", "param", "code"}}</code>.</p>
<nav aria-label="Routes"><ul>
${routes.map((route) => `<li><a href="#${anchor(route)}"><code>${title(route)}</code></a> ${escapeHtml(route.summary)}</li>`).join('\n')}
</ul></nav>
${routes.map(renderRoute).join('\n')}
</main>
</body>
</html>
`
}

function renderRoute(route: DocumentedRoute): string {
  const { parameters = [], body, answers, refusals = [] } = route
  const cells = ({ name, accepts, fallback, description }: FieldRow) => [
    code(name),
    escapeHtml(accepts),
    code(fallback),
    escapeHtml(description),
  ]
  const parameterCells = parameterRows(parameters).map((row) => cells(row).toSpliced(1, 0, row.in))
  const bodyCells = body === undefined ? [] : fieldRows(body).map(cells)
  return [
    `<section aria-labelledby="${anchor(route)}">`,
    `<h2 id="${anchor(route)}"><code>${title(route)}</code></h2>`,
    `<p>${escapeHtml(describePurpose(route))}</p>`,
    `<p>${escapeHtml(describeScopes(route))}</p>`,
    renderTable('Parameters and headers', ['name', 'in', 'must be', 'default', 'meaning'], parameterCells),
    renderTable('Body', ['field', 'must be', 'default', 'meaning'], bodyCells),
    `<p>Responses: ${answers.map(({ status, description: words }) => `${status} (${escapeHtml(words)})`).join(', ')}</p>`,
    refusals.length === 0 ? '' : `<p>Errors: ${refusals.toSorted((a, b) => a - b).join(', ')}</p>`,
    '</section>',
  ].join('\n')
}

function renderTable(caption: string, head: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return ''
  const cells = (row: readonly string[], tag: 'th' | 'td') => `<tr>${row.map((cell) => `<${tag}>${cell}</${tag}>`).join('')}</tr>`
  return `<h3>${caption}</h3><div class="wide"><table>${cells(head, 'th')}${rows.map((row) => cells(row, 'td')).join('')}</table></div>`
}

function title({ method, path }: DocumentedRoute): string {
  return `${method} ${escapeHtml(path)}`
}

function anchor({ method, path }: DocumentedRoute): string {
  return `${method.toLowerCase()}${path.replace(/\W+/g, '-')}`
}

function code(words: string): string {
  return words === '' ? '' : `<code>${escapeHtml(words)}</code>`
}
