import type { ServiceAddresses } from '../../core/service-addresses.ts'

/** The console's colours in light and dark mode. */
const colours = {
  light: { bg: '#fdfaf4', text: '#271e17', primary: '#7a4720', 'nav-bg': '#f6f1e8', 'nav-text': '#54483c' },
  dark: { bg: '#1d1814', text: '#f1e8dc', primary: '#e2ab76', 'nav-bg': '#15110e', 'nav-text': '#c9bbaa' },
} as const

/** The reference page: loads a viewer for the API document. */
export const referencePage = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Sepia: the interface, to try</title>
<link rel="icon" href="/console/assets/drop-icon.svg" type="image/svg+xml">
<style>
:root { color-scheme: light dark }
body { margin: 0; background: light-dark(#fdfaf4, #1d1814) }
header { font: 0.9375rem/1.5 system-ui, sans-serif; padding: .75rem 1rem; display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; align-items: baseline; color: light-dark(#271e17, #f1e8dc) }
header a { color: light-dark(#7a4720, #e2ab76) }
h1 { font: 1.375rem "Iowan Old Style", P052, Palatino, Georgia, serif; margin: 0 }
</style>
<script type="module" src="/docs/api/page.js"></script>
</head>
<body>
<header><h1>Sepia</h1><a href="/">Console</a><a href="/docs">Documentation</a><a href="/openapi.json">OpenAPI document</a><span>To try an operation, enter an access token under Authentication, then choose the operation.</span></header>
<main></main>
</body>
</html>
`

/** The script of {@link referencePage}. */
export const referenceScript = `import './rapidoc.js'
const colours = ${JSON.stringify(colours)}
const dark = matchMedia('(prefers-color-scheme: dark)')
const narrow = matchMedia('(max-width: 768px)')
const reader = document.createElement('rapi-doc')
const fixed = {
  'spec-url': new URL('../../openapi.json', import.meta.url).href, 'load-fonts': 'false', 'show-header': 'false', 'schema-style': 'table',
  'default-schema-tab': 'schema', 'allow-spec-url-load': 'false', 'allow-spec-file-load': 'false', 'allow-server-selection': 'false',
  'show-method-in-nav-bar': 'as-colored-text', 'use-path-in-nav-bar': 'true', 'persist-auth': 'false', 'regular-font': 'system-ui, sans-serif',
  'mono-font': 'ui-monospace, Menlo, Consolas, monospace', 'fetch-credentials': 'omit', 'response-area-height': '24rem',
}
const paint = () => {
  const theme = dark.matches ? 'dark' : 'light'
  reader.setAttribute('theme', theme)
  // A narrow page has no room for a list of routes beside the content.
  reader.setAttribute('render-style', narrow.matches ? 'read' : 'focused')
  for (const [name, value] of Object.entries(colours[theme])) reader.setAttribute(name + '-color', value)
}
for (const [name, value] of Object.entries(fixed)) reader.setAttribute(name, value)
paint()
for (const query of [dark, narrow]) query.addEventListener('change', paint)
document.querySelector('main').append(reader)
`

/** The page may run its own script and send requests to the service's own addresses. */
export function referencePolicy(addresses: ServiceAddresses): string {
  const origins = [...new Set(Object.values(addresses).map((address: string) => new URL(address).origin))].join(' ')
  return `default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; img-src 'self' data: blob:; media-src blob:; connect-src 'self' ${origins}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`
}
