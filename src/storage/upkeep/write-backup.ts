import { existsSync } from 'node:fs'
import { open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { syncFolder } from '../private-files.ts'
import { isDiskFull } from '../write-fault.ts'
import { belongsIntoBackup, createFilesTable, type DataPlace, sealBackup } from './backup-format.ts'

export interface BackupOptions {
  readonly signal: AbortSignal
  /** Called with the number of files done and in total. */
  readonly onProgress: (done: number, total: number) => void
}

/**
 * Writes the database and the other files into one new file, even while the service is running.
 *
 * The snapshot of the database comes first: an output is stored before its request completes, so that every output named in the snapshot
 * exists, unless it expires meanwhile.
 *
 * Only this user has access to the file.
 *
 * @throws {Error} if the file exists, there is no database, or the database was replaced during the backup.
 */
export async function writeBackup(
  { databaseFile, dataFolder }: DataPlace,
  target: string,
  options: BackupOptions,
): Promise<{ readonly bytes: number }> {
  if (existsSync(target)) throw new Error(`${target} exists already; name a new file.`)
  if (!existsSync(databaseFile)) throw new Error(`There is no database in ${dataFolder}; name the data folder with --data.`)
  const unfinished = `${target}.unfinished`
  await rm(unfinished, { force: true })
  // The database contains the signing secrets of webhooks.
  await writeFile(unfinished, '', { mode: 0o600, flag: 'wx' })
  try {
    const before = await identify(databaseFile)
    takeSnapshot(databaseFile, unfinished)
    await addFiles(unfinished, dataFolder, options)
    if ((await identify(databaseFile)) !== before) throw new Error(`${dataFolder} was restored while it was backed up; back it up again.`)
    await sealBackup(unfinished, options)
    await rename(unfinished, target)
    await syncFolder(dirname(target))
  } catch (cause) {
    if (!isDiskFull(cause)) throw cause
    throw new Error(`The disk of ${dirname(target)} is full; free some space or choose another file.`, { cause })
  } finally {
    await rm(unfinished, { force: true })
  }
  return { bytes: (await stat(target)).size }
}

/** Identity of the file at a path; null = none. */
async function identify(file: string): Promise<string | null> {
  const found = await stat(file, { bigint: true }).catch(unlessGone)
  return found === null ? null : `${found.dev} ${found.ino}`
}

function takeSnapshot(databaseFile: string, target: string): void {
  using database = new DatabaseSync(databaseFile, { readOnly: true, timeout: 10_000 })
  // Reads in one transaction, so that writers neither wait for it nor make it start again.
  database.prepare('vacuum into ?').run(target)
}

async function addFiles(backup: string, dataFolder: string, { signal, onProgress }: BackupOptions): Promise<void> {
  using database = new DatabaseSync(backup)
  database.exec(`${createFilesTable}; begin`)
  const insert = database.prepare('insert into backup_files (path, modified_ms, bytes) values (?, ?, ?)')
  const paths = await listFiles(dataFolder)
  for (const [index, path] of paths.entries()) {
    signal.throwIfAborted()
    const found = await readStored(join(dataFolder, path))
    if (found !== null) insert.run(path, found.modifiedMs, found.bytes)
    onProgress(index + 1, paths.length)
  }
  database.exec('commit')
}

/** A file's content; null = it expired and was deleted since it was listed. */
async function readStored(path: string): Promise<{ readonly modifiedMs: number; readonly bytes: Buffer } | null> {
  const file = await open(path).catch(unlessGone)
  if (file === null) return null
  await using opened = file
  return { modifiedMs: Math.round((await opened.stat()).mtimeMs), bytes: await opened.readFile() }
}

/** Relative paths of files, one folder at a time, since any may be deleted meanwhile. */
async function listFiles(dataFolder: string, inner = ''): Promise<readonly string[]> {
  const entries = (await readdir(join(dataFolder, inner), { withFileTypes: true }).catch(unlessGone)) ?? []
  const paths: string[] = []
  for (const entry of entries) {
    const path = inner === '' ? entry.name : `${inner}/${entry.name}`
    if (!belongsIntoBackup(path)) continue
    if (entry.isDirectory()) paths.push(...(await listFiles(dataFolder, path)))
    else if (entry.isFile()) paths.push(path)
  }
  return paths
}

function unlessGone(error: unknown): null {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
  throw error
}
