import { readdir, realpath } from 'node:fs/promises'
import { join, sep } from 'node:path'

/**
 * The first link inside a folder that leads out of it, or nowhere: an engine may read its model's folder alone.
 *
 * @returns Its path inside the folder; null = there is none.
 */
export async function findOutsideLink(folder: string): Promise<string | null> {
  const root = await realpath(folder)
  const entries = await readdir(root, { recursive: true, withFileTypes: true })
  for (const entry of entries) {
    if (!entry.isSymbolicLink()) continue
    const path = join(entry.parentPath, entry.name)
    const target = await realpath(path).catch(() => null)
    if (target === null || !`${target}${sep}`.startsWith(`${root}${sep}`)) return path.slice(root.length + 1)
  }
  return null
}
