import { basename, dirname, join } from 'node:path'
import type { UnusableFile } from '../core/assets/asset.ts'

/** Maximum number of files listed in a message; the rest is counted. */
const maxDescribed = 5

/**
 * Why a requested name cannot be used: the reason of the file of that name, or of all files if several have it.
 *
 * @param usable Names of usable models and assets.
 */
export function findUnusableFile(
  name: string,
  { unusable, usable }: { readonly unusable: readonly UnusableFile[]; readonly usable: readonly string[] },
): UnusableFile | undefined {
  const isMeant = (candidate: string) => candidate === name || candidate.endsWith(`/${name}`)
  const files = [...new Map(unusable.filter((file) => isMeant(file.name)).map((file) => [file.file, file])).values()]
  const [first] = files
  const others = usable.filter(isMeant)
  if (first === undefined || (files.length === 1 && others.length === 0)) return first
  const described = files.slice(0, maxDescribed).map(({ file, reason }) => `${join(basename(dirname(file)), basename(file))} (${reason})`)
  const more = files.length > maxDescribed ? ` and ${files.length - maxDescribed} more` : ''
  const said = `${described.join(', ')}${more}`
  const reason =
    others.length === 0
      ? `names ${files.length} files that cannot be used: ${said}`
      : `names several files: ${said}; use ${others.join(' or ')}`
  return { ...first, name, reason }
}
