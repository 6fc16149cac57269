import { lstatSync, readdirSync, readlinkSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

/**
 * What symbolic links among these files, and in these folders, lead to: hubs keep a model's files elsewhere and link to them. Of links that
 * lead to links only the first step is told.
 *
 * @param paths Absolute; what is not there counts as nothing.
 */
export function linkTargets(paths: readonly string[]): readonly string[] {
  return paths.flatMap((path) => {
    try {
      const file = lstatSync(path)
      if (file.isSymbolicLink()) return [targetOf(path)]
      if (!file.isDirectory()) return []
      const links = readdirSync(path, { recursive: true, withFileTypes: true }).filter((entry) => entry.isSymbolicLink())
      return links.map(({ parentPath, name }) => targetOf(join(parentPath, name)))
    } catch {
      return []
    }
  })
}

function targetOf(link: string): string {
  return resolve(dirname(link), readlinkSync(link))
}
