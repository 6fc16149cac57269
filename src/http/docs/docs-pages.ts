import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'

/** Kinds of pages, in the order of the navigation. */
export const docsKinds = ['Tutorials', 'Guides', 'Reference', 'Explanation'] as const
export type DocsKind = (typeof docsKinds)[number]

/** One page of the documentation. */
export interface DocsPage {
  /** Below `/docs/`, such as `operations` or `decisions/0001-…`. */
  readonly name: string
  readonly title: string
  readonly kind: DocsKind
  /** Path in the repository, with forward slashes. */
  readonly path: string
  readonly markdown: string
}

const root = join(import.meta.dirname, '../../..')

/** Paths of the pages in the navigation. Decisions are linked from their index. */
const listed: readonly (readonly [kind: DocsKind, paths: readonly string[]])[] = [
  ['Tutorials', ['README.md', 'docs/first-model.md']],
  [
    'Guides',
    [
      ...['install', 'network', 'sign-in', 'models', 'image-models', 'upstream-servers', 'clients', 'structured-output', 'command-line'],
      ...['console', 'operations', 'monitoring', 'runbooks', 'postgresql', 'scaling', 'releasing'],
    ].map((name) => `docs/${name}.md`),
  ],
  [
    'Reference',
    [
      ...['configuration', 'model-json', 'errors', 'images', 'hardware', 'performance', 'capacity'].map((name) => `docs/${name}.md`),
      ...['cluster-failures', 'llama-server-differences', 'dependencies'].map((name) => `docs/${name}.md`),
      'CHANGELOG.md',
    ],
  ],
  ['Explanation', ['ARCHITECTURE.md', 'docs/security.md', 'docs/account-security.md', 'docs/decisions/README.md', 'SECURITY.md']],
]

/** Reads every page from the files beside the service. Unlisted pages of `docs` are reference. */
export function readDocsPages(): readonly DocsPage[] {
  const known = listed.flatMap(([kind, paths]) => paths.map((path) => ({ kind, path })))
  const more = namesIn('docs')
    .map((name) => `docs/${name}`)
    // The API reference is a separate page, made from the schemas.
    .filter((path) => path !== 'docs/api.md' && !known.some((page) => page.path === path))
  const decisions = namesIn('docs/decisions').filter((name) => name !== 'README.md')
  return [
    ...known,
    ...more.map((path) => ({ kind: 'Reference' as const, path })),
    ...decisions.map((name) => ({ kind: 'Explanation' as const, path: `docs/decisions/${name}` })),
  ].flatMap(({ kind, path }) => {
    const markdown = readText(path)
    return markdown === null ? [] : [{ kind, path, markdown, name: pageName(path), title: titleOf(markdown) }]
  })
}

/** Whether a page is in the navigation. */
export function isListed({ name }: DocsPage): boolean {
  return !/^decisions\/./.test(name)
}

/** Reads the pictures of pages: bytes by their paths below `docs`. */
export function readDocsPictures(): ReadonlyMap<string, Buffer> {
  const names = ['images', 'screenshots'].flatMap((folder) =>
    namesIn(`docs/${folder}`, /\.(?:webp|png|jpe?g)$/).map((name) => `${folder}/${name}`),
  )
  return new Map(names.map((name) => [name, readFileSync(join(root, 'docs', name))]))
}

/** `docs/decisions/README.md` → `decisions`, `ARCHITECTURE.md` → `architecture`. */
function pageName(path: string): string {
  return path
    .replace(/^docs\//, '')
    .replace(/\/README\.md$/, '')
    .replace(/\.md$/, '')
    .toLowerCase()
}

function titleOf(markdown: string): string {
  return /^# (.+)$/m.exec(markdown)?.[1] ?? 'Sepia'
}

function namesIn(folder: string, fits = /\.md$/): readonly string[] {
  try {
    return readdirSync(join(root, folder))
      .filter((name) => fits.test(name))
      .map((name) => basename(name))
      .toSorted()
  } catch {
    return []
  }
}

function readText(path: string): string | null {
  try {
    // Comments say who writes a page; they are not for its readers.
    return readFileSync(join(root, path), 'utf8').replaceAll(/^<!--.*-->\n+/gm, '')
  } catch {
    return null
  }
}
