import { existsSync } from 'node:fs'
import { chmod, copyFile, mkdir, open, readdir, rename, rm, utimes, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { syncFolder } from '../private-files.ts'
import { belongsIntoBackup, type DataPlace, dropFilesTable, openBackup } from './backup-format.ts'
import type { BackupOptions } from './write-backup.ts'

export interface RestoreOptions extends BackupOptions {
  /** The newest schema that this version can start on. */
  readonly newestSchema: number
}

/**
 * Replaces database and files of a data folder by those of a backup. The caller owns the folder meanwhile.
 *
 * Everything is unpacked beside the old content first, so that a damaged backup or a full disk changes nothing. Once that
 * is on stable storage the restore happens whole, if need be at the next start.
 *
 * @throws {Error} when the file is not a whole backup, or one that only a newer version can start on.
 */
export async function restoreBackup(place: DataPlace, source: string, options: RestoreOptions): Promise<void> {
  await unpackBackup(place, source, options)
  await finishRestore(place)
}

/** Unpacks a backup beside what is there; from its last rename on the restore is certain. */
export async function unpackBackup(place: DataPlace, source: string, options: RestoreOptions): Promise<void> {
  const { dataFolder } = place
  await finishRestore(place)
  const { unpacking, whole } = restoreFolders(dataFolder)
  await rm(unpacking, { recursive: true, force: true })
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

/** Makes the names in a folder, and in those inside it, survive a loss of power. */
async function syncFolders(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true })) if (entry.isDirectory()) await syncFolders(join(folder, entry.name))
  await syncFolder(folder)
}

/** Folders that a restore makes in the data folder; which of them are there says how far it has come. */
export interface RestoreFolders {
  /** Being unpacked: worth nothing yet. */
  readonly unpacking: string
  /** Unpacked and on stable storage: from here on a restore goes forward only. */
  readonly whole: string
  /** The old content is out of the way. */
  readonly placing: string
  readonly replaced: string
}

/** Where they are in this data folder. */
function restoreFolders(dataFolder: string): RestoreFolders {
  return {
    unpacking: join(dataFolder, 'restoring'),
    whole: join(dataFolder, 'restoring-whole'),
    placing: join(dataFolder, 'restoring-placing'),
    replaced: join(dataFolder, 'restoring-replaced'),
  }
}

/** Whether a restore was interrupted that must be finished before anybody reads the data folder. */
export function isRestoring(dataFolder: string): boolean {
  const { whole, placing, replaced } = restoreFolders(dataFolder)
  return [whole, placing, replaced].some((folder) => existsSync(folder))
}

/** Brings a restore whose backup is unpacked to its end. The caller owns the folder meanwhile. */
export async function finishRestore(place: DataPlace): Promise<void> {
  for await (const _step of restoreSteps(place));
}

/** Puts what was unpacked into the place of what is there, a rename at a time; begun again after any of them, it comes to the same end. */
export async function* restoreSteps({ databaseFile, dataFolder }: DataPlace): AsyncGenerator<void> {
  const { whole, placing, replaced } = restoreFolders(dataFolder)
  if (existsSync(whole)) {
    await mkdir(replaced, { recursive: true, mode: 0o700 })
    for (const name of await readdir(dataFolder)) {
      // A log that is left of the old database must never be played into the new one.
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
