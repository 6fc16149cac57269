import { createHash } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'

/** Writes a whole file that only this user may read, and returns once its bytes are on stable storage; `modifiedAt` in Unix milliseconds. */
export async function writeDurably(path: string, bytes: Uint8Array, { modifiedAt }: { readonly modifiedAt: number }): Promise<void> {
  await using file = await open(path, 'wx', 0o600)
  await file.writeFile(bytes)
  await file.utimes(modifiedAt / 1000, modifiedAt / 1000)
  await file.sync()
}

/** Makes renames and deletions inside a folder survive a loss of power. */
export async function syncFolder(folder: string): Promise<void> {
  await using handle: FileHandle = await open(folder, 'r')
  await handle.sync()
}

/** Hex SHA-256. */
export function hashBytes(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}
