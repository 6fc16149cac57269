import { lstatSync, readdirSync, readlinkSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

/** Steps of links that lead to links, and entries of folders, that are looked at for one engine. */
const maxSteps = 20_000

/**
 * All targets of symbolic links among these files and in these folders, including intermediate ones: hub caches store files elsewhere and
 * link to them.
 *
 * @param paths Absolute; missing ones are ignored.
 */
export function linkTargets(paths: readonly string[]): readonly string[] {
  const seen = new Set<string>()
  const left = [...paths]
  for (let path = left.pop(); path !== undefined && seen.size < maxSteps; path = left.pop()) {
    if (seen.has(path)) continue
    seen.add(path)
    left.push(...stepsFrom(path))
  }
  const given = new Set(paths)
  return [...seen].filter((path) => !given.has(path))
}

/** The target of a link, or of the links in a folder. */
function stepsFrom(path: string): readonly string[] {
  try {
    const file = lstatSync(path)
    if (file.isSymbolicLink()) return [targetOf(path)]
    if (!file.isDirectory()) return []
    const links = readdirSync(path, { recursive: true, withFileTypes: true }).filter((entry) => entry.isSymbolicLink())
    return links.map(({ parentPath, name }) => targetOf(join(parentPath, name)))
  } catch {
    return []
  }
}

function targetOf(link: string): string {
  return resolve(dirname(link), readlinkSync(link))
}
