import { type FileHandle, open } from 'node:fs/promises'

/** Makes renames and deletions inside a folder survive a loss of power. */
export async function syncFolder(folder: string): Promise<void> {
  await using handle: FileHandle = await open(folder, 'r')
  await handle.sync()
}
