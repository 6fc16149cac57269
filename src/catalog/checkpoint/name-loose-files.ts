import { dirname, relative, sep } from 'node:path'
import type { LooseFile } from './read-loose-files.ts'
import { weightName } from './weight-file-name.ts'

/**
 * What loose files are called in requests, by path: their own names, and where several in different folders have one name, each with its folder before it,
 * or with as many folders as tell them apart.
 *
 * @param taken Names of models that have a description.
 */
export function nameLooseFiles(files: readonly LooseFile[], taken: ReadonlySet<string>): ReadonlyMap<string, string> {
  const names = new Map<string, string>()
  for (const [name, group] of Map.groupBy(files, ({ path }) => weightName(path))) {
    const folders = new Set(group.map(({ path }) => dirname(path)))
    const isAlone = folders.size === 1 && !taken.has(name)
    for (const file of group) names.set(file.path, isAlone ? name : inFolder(file, name, group))
  }
  return names
}

/** A name with the folders that tell it from the others'; a file that lies in no folder keeps its own. */
function inFolder(file: LooseFile, name: string, group: readonly LooseFile[]): string {
  const own = foldersOf(file)
  const others = group.filter(({ path }) => dirname(path) !== dirname(file.path)).map(foldersOf)
  for (let count = 1; count < own.length; count++) {
    const end = own.slice(-count).join('/')
    if (others.every((folders) => folders.slice(-count).join('/') !== end)) return `${end}/${name}`
  }
  return [...own, name].join('/')
}

/** Folders between the searched one and the file; a repository in the hub's cache counts as one folder of its name. */
function foldersOf({ path, root }: LooseFile): readonly string[] {
  const folders = relative(root, dirname(path))
    .split(sep)
    .filter((each) => each !== '')
  const cached = folders.findIndex((each, at) => each.startsWith('models--') && folders[at + 1] === 'snapshots')
  if (cached < 0) return folders
  const repository = folders[cached]?.split('--').at(-1) ?? ''
  return [...folders.slice(0, cached), repository, ...folders.slice(cached + 3)]
}
