import { existsSync } from 'node:fs'
import { chmod, copyFile, mkdir, open, readdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { syncFolder } from '../private-files.ts'
import { belongsIntoBackup, type DataPlace, dropFilesTable, openBackup, readPieceOf } from './backup-format.ts'
import type { BackupOptions } from './write-backup.ts'

export interface RestoreOptions extends BackupOptions {
  /** The newest schema this version supports. */
  readonly newestSchema: number
}

/**
 * Replaces the database and files of a data folder by those of a backup. The caller must own the folder.
 *
 * Everything is unpacked beside the old content first, so that a damaged backup or a full disk changes nothing. Once that is on stable
 * storage, the restore will be completed, if necessary at the next start.
 *
 * @throws {Error} if the file is not a complete backup, or needs a newer version.
 */
export async function restoreBackup(place: DataPlace, source: string, options: RestoreOptions): Promise<void> {
  await unpackBackup(place, source, options)
  await finishRestore(place)
}

/** Unpacks a backup beside the old content; after its last rename the restore will be completed. */
export async function unpackBackup(place: DataPlace, source: string, options: RestoreOptions): Promise<void> {
  const { dataFolder } = place
  await finishRestore(place)
  const { unpacking, whole } = restoreFolders(dataFolder)
  await mkdir(join(unpacking, 'files'), { recursive: true, mode: 0o700 })
  try {
    await unpackFiles(source, join(unpacking, 'files'), options)
    await unpackDatabase(source, join(unpacking, 'database'))
    await syncFolders(unpacking)
    await rename(unpacking, whole)
    await syncFolder(dataFolder)
  } finally {
    await rm(unpacking, { recursive: true, force: true })
  }
}

async function unpackFiles(source: string, folder: string, { signal, onProgress, newestSchema }: RestoreOptions): Promise<void> {
  using backup = await openBackup(source, { signal })
  const schema = Number(backup.prepare('pragma user_version').get()?.user_version)
  if (schema > newestSchema)
    throw new Error(`${source} was written by a newer version of the service (schema ${schema}); restore it with that version.`)
  const total = Number(backup.prepare('select count(*) as files from backup_files').get()?.files)
  let done = 0
  for (const { path: stored, modified_ms: modifiedMs, bytes } of backup.prepare('select * from backup_files order by rowid').iterate()) {
    signal.throwIfAborted()
    const { path, offset } = readPieceOf(String(stored))
    if (!(bytes instanceof Uint8Array) || !isInnerPath(path)) throw new Error(`${source} contains an unexpected file.`)
    const file = join(folder, path)
    await mkdir(dirname(file), { recursive: true, mode: 0o700 })
    if (offset > 0 && (await sizeOf(file)) !== offset) throw new Error(`${source} lacks a piece of ${path}.`)
    await writeFile(file, bytes, { flush: true, mode: 0o600, flag: offset === 0 ? 'w' : 'a' })
    await utimes(file, Number(modifiedMs) / 1000, Number(modifiedMs) / 1000)
    done += 1
    onProgress(done, total)
  }
}

/** null = there is no such file. */
async function sizeOf(file: string): Promise<number | null> {
  return (await stat(file).catch(() => null))?.size ?? null
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

/** Makes the names in a folder and its subfolders survive a power failure. */
async function syncFolders(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true })) if (entry.isDirectory()) await syncFolders(join(folder, entry.name))
  await syncFolder(folder)
}

/** Folders created in the data folder during a restore; their existence shows its progress. */
export interface RestoreFolders {
  /** Being unpacked; can be discarded. */
  readonly unpacking: string
  /** Unpacked and on stable storage; from here the restore can only go forward. */
  readonly whole: string
  /** The old content has been moved away. */
  readonly placing: string
  readonly replaced: string
}

/** Their paths in this data folder. */
function restoreFolders(dataFolder: string): RestoreFolders {
  return {
    unpacking: join(dataFolder, 'restoring'),
    whole: join(dataFolder, 'restoring-whole'),
    placing: join(dataFolder, 'restoring-placing'),
    replaced: join(dataFolder, 'restoring-replaced'),
  }
}

/** Whether an interrupted restore must be completed or discarded before the data folder is read. */
export function isRestoring(dataFolder: string): boolean {
  return Object.values(restoreFolders(dataFolder)).some((folder) => existsSync(folder))
}

/** Completes a restore whose backup is unpacked, and discards one that was still being unpacked. The caller must own the folder. */
export async function finishRestore(place: DataPlace): Promise<void> {
  for await (const _step of restoreSteps(place));
}

/** Moves the unpacked files into place, one rename at a time; can be repeated from the start after any of them. */
export async function* restoreSteps({ databaseFile, dataFolder }: DataPlace): AsyncGenerator<void> {
  const { unpacking, whole, placing, replaced } = restoreFolders(dataFolder)
  await rm(unpacking, { recursive: true, force: true })
  if (existsSync(whole)) {
    await mkdir(replaced, { recursive: true, mode: 0o700 })
    for (const name of await readdir(dataFolder)) {
      // A leftover log of the old database must never be applied to the new one.
      if (!belongsIntoBackup(name) && !name.startsWith(basename(databaseFile))) continue
      await rename(join(dataFolder, name), join(replaced, name))
      yield
    }
    await syncFolder(dataFolder)
    await rename(whole, placing)
    yield
  }
  if (existsSync(placing)) {
    const files = join(placing, 'files')
    for (const name of existsSync(files) ? await readdir(files) : []) {
      await rename(join(files, name), join(dataFolder, name))
      yield
    }
    if (existsSync(join(placing, 'database'))) await rename(join(placing, 'database'), databaseFile)
    yield
    await syncFolder(dataFolder)
    await rm(placing, { recursive: true })
    yield
  }
  await rm(replaced, { recursive: true, force: true })
}
