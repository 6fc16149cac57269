import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * The first link inside a folder that leads nowhere. Links that lead out of it are how the hub's cache keeps files; an engine may read what they lead to.
 *
 * @returns Its path inside the folder; null = there is none.
 */
export async function findBrokenLink(folder: string): Promise<string | null> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  for (const entry of entries) {
    if (!entry.isSymbolicLink()) continue
    const path = join(entry.parentPath, entry.name)
    if ((await stat(path).catch(() => null)) === null) return path.slice(folder.length + 1)
  }
  return null
}
