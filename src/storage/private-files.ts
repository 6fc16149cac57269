import { randomUUID } from 'node:crypto'
import { chmodSync, statSync } from 'node:fs'
import { type FileHandle, open, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isDiskFull } from './write-fault.ts'

const rightsOfOthers = 0o077

/**
 * Takes every right to a file or folder from other users, as folders of older versions gave them.
 * What is not there, or belongs to another user, stays as it is; Windows has other rights.
 */
export function keepPrivate(path: string): void {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (stats === undefined || stats.uid !== process.getuid?.() || (stats.mode & rightsOfOthers) === 0) return
  chmodSync(path, stats.mode & 0o700)
}

/** Makes renames and deletions inside a folder survive a loss of power. */
export async function syncFolder(folder: string): Promise<void> {
  await using handle: FileHandle = await open(folder, 'r')
  await handle.sync()
}

/**
 * Writes a file into a folder and removes it, as only that shows whether one may. A disk that is full is none of its concern: that passes.
 *
 * @throws {Error} with the system's code when nothing can be written there, and what to change.
 */
export async function proveWritable(folder: string): Promise<void> {
  const file = join(folder, randomUUID())
  try {
    await writeFile(file, '', { flag: 'wx', mode: 0o600 })
    await rm(file)
  } catch (cause) {
    if (isDiskFull(cause)) return
    throw new Error(explainUnwritable(folder, cause), { cause })
  }
}

/** What to change where a file or folder of the data folder cannot be written. */
export function explainUnwritable(path: string, cause: unknown): string {
  const code = cause instanceof Error && 'code' in cause ? ` (${cause.code})` : ''
  return `${path} is not writable${code}; change its permissions, mount it writable, or choose another --data.`
}
