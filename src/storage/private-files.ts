import { randomUUID } from 'node:crypto'
import { chmodSync, statSync } from 'node:fs'
import { type FileHandle, open, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isDiskFull } from './write-fault.ts'

const rightsOfOthers = 0o077

/**
 * Removes other users' permissions from a file or folder, as granted by older versions. Missing paths and those of other users are skipped.
 * No effect on Windows.
 */
export function keepPrivate(path: string): void {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (stats === undefined || stats.uid !== process.getuid?.() || (stats.mode & rightsOfOthers) === 0) return
  chmodSync(path, stats.mode & 0o700)
}

/** Makes renames and deletions inside a folder survive a power failure. */
export async function syncFolder(folder: string): Promise<void> {
  await using handle: FileHandle = await open(folder, 'r')
  await handle.sync()
}

/**
 * Writes and removes a file in a folder, the only reliable test for write access. A full disk is not a fault here, since it may pass.
 *
 * @throws {Error} with the system's error code and the fix if nothing can be written there.
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

/** How to fix a file or folder of the data folder that is not writable. */
export function explainUnwritable(path: string, cause: unknown): string {
  const code = cause instanceof Error && 'code' in cause ? ` (${cause.code})` : ''
  return `${path} is not writable${code}; change its permissions, mount it writable, or choose another --data.`
}
