import { existsSync } from 'node:fs'
import { chmod, copyFile, mkdir, open, readdir, rename, rm, utimes, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { belongsIntoBackup, dropFilesTable, openBackup } from './backup-format.ts'
import type { BackupOptions } from './write-backup.ts'

/**
 * Replaces database and files of a data folder by those of a backup. The caller owns the folder meanwhile.
 *
 * Everything is unpacked beside the old content first, so that a damaged backup or a full disk changes nothing.
 *
 * @throws {Error} when the file is not a whole backup.
 */
export async function restoreBackup(
  { databaseFile, dataFolder }: { readonly databaseFile: string; readonly dataFolder: string },
  source: string,
  options: BackupOptions,
): Promise<void> {
  const unpacked = join(dataFolder, 'restoring')
  await rm(unpacked, { recursive: true, force: true })
  await mkdir(join(unpacked, 'files'), { recursive: true, mode: 0o700 })
  try {
    await unpackFiles(source, join(unpacked, 'files'), options)
    await unpackDatabase(source, join(unpacked, 'database'))
    await replaceFiles(join(unpacked, 'files'), dataFolder)
    // A log that is left of the old database must never be played into the new one.
    for (const suffix of ['-wal', '-shm']) await rm(databaseFile + suffix, { force: true })
    await rename(join(unpacked, 'database'), databaseFile)
  } finally {
    await rm(unpacked, { recursive: true, force: true })
  }
}

async function unpackFiles(source: string, folder: string, { signal, onProgress }: BackupOptions): Promise<void> {
  using backup = openBackup(source)
  const total = Number(backup.prepare('select count(*) as files from backup_files').get()?.files)
  let done = 0
  for (const { path, modified_ms: modifiedMs, bytes } of backup.prepare('select * from backup_files').iterate()) {
    signal.throwIfAborted()
    if (typeof path !== 'string' || !(bytes instanceof Uint8Array) || !isInnerPath(path))
      throw new Error(`${source} holds a file it must not hold.`)
    const file = join(folder, path)
    await mkdir(dirname(file), { recursive: true, mode: 0o700 })
    await writeFile(file, bytes, { flush: true, mode: 0o600 })
    await utimes(file, Number(modifiedMs) / 1000, Number(modifiedMs) / 1000)
    done += 1
    onProgress(done, total)
  }
}

function isInnerPath(path: string): boolean {
  return belongsIntoBackup(path) && !path.split('/').some((part) => part === '' || part === '.' || part === '..' || part.includes('\\'))
}

async function unpackDatabase(source: string, target: string): Promise<void> {
  await copyFile(source, target)
  await chmod(target, 0o600)
  {
    using database = new DatabaseSync(target)
    database.exec(`${dropFilesTable}; vacuum`)
  }
  await using file = await open(target, 'r+')
  await file.sync()
}

/** Puts each restored folder or file in the place of the old one; what the backup does not hold goes too. */
async function replaceFiles(restored: string, dataFolder: string): Promise<void> {
  for (const name of await readdir(dataFolder)) {
    if (belongsIntoBackup(name)) await rm(join(dataFolder, name), { recursive: true, force: true })
  }
  for (const name of await readdir(restored)) {
    if (!existsSync(join(dataFolder, name))) await rename(join(restored, name), join(dataFolder, name))
  }
}
