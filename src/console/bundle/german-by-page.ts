import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path/posix'
import { normalizePath, type Plugin } from 'vite'

/** The German texts, in parts of which a page loads only what it shows. */
export interface GermanParts {
  /** The part that a source file uses: that of its page, or `first` for what every page loads. */
  partOf(file: string): string
  /** The texts of the files that use a part, by their English. A text of two parts is in both. */
  textsOf(part: string): Readonly<Record<string, unknown>>
}

/** Splits `de.json` by the folders of the pages that are loaded on demand. */
export function germanParts(app: string): GermanParts {
  const folder = normalizePath(app)
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map(normalizePath)
  const sources = names.filter((name) => /(?<!\.test)\.tsx?$/.test(name)).map((name) => join(folder, name))
  const first = filesLoadedBy(join(folder, 'main.tsx'))
  const catalogue = Object.entries<unknown>(JSON.parse(readText(join(folder, 'language/de.json'))))
  const partOf = (file: string) => (first.has(file) ? 'first' : (/^\/pages\/([^/]+)\//.exec(file.slice(folder.length))?.[1] ?? 'first'))
  return {
    partOf,
    textsOf(part) {
      const unbroken = sources.filter((file) => partOf(file) === part).map((file) => readText(file).replaceAll(/\s*\n\s*/g, ' '))
      // May find a short text in a longer one as well.
      const isSaid = (english: string) => {
        const pieces = english.split(/\{\d+\}/)
        return unbroken.some((source) => pieces.every((piece) => source.includes(piece)))
      }
      return Object.fromEntries(catalogue.filter(([english]) => isSaid(english)))
    },
  }
}

/** Gives the files of each part a copy of `t.ts`, which loads that part of `de.json`. */
export function germanByPage(app: string): Plugin {
  const { partOf, textsOf } = germanParts(app)
  const translator = join(normalizePath(app), 'language/t.ts')
  return {
    name: 'german-by-page',
    enforce: 'pre',
    resolveId(source, importer = '') {
      if (source.endsWith('/language/t.ts')) return `${translator}?${partOf(importer)}`
      return source === './de.json' ? `german-${importer.slice(`${translator}?`.length)}` : null
    },
    load(id) {
      const [, part] = /^german-(.+)$/.exec(id) ?? []
      return part === undefined ? null : { code: JSON.stringify(textsOf(part)), moduleType: 'json' }
    },
  }
}

/** A file and all that it imports, except on demand. */
function filesLoadedBy(file: string, found: Set<string> = new Set()): ReadonlySet<string> {
  if (found.has(file)) return found
  found.add(file)
  for (const [, path = ''] of readText(file).matchAll(/^(?:import|export) (?!type )[^']*?from '(\.[^']+\.tsx?)'/gm))
    filesLoadedBy(join(dirname(file), path), found)
  return found
}

function readText(file: string): string {
  return readFileSync(file, 'utf8')
}
