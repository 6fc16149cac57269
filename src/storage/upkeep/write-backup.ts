import { existsSync } from 'node:fs'
import { open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { syncFolder } from '../private-files.ts'
import { belongsIntoBackup, createFilesTable, type DataPlace, sealBackup } from './backup-format.ts'

export interface BackupOptions {
  readonly signal: AbortSignal
  /** Receives how many files are done, out of how many. */
  readonly onProgress: (done: number, total: number) => void
}

/**
 * Writes the database and the files beside it into one new file, while the service may be writing.
 *
 * The snapshot of the database comes first: an output is stored before its request completes, so every output that the
 * snapshot names is still to be found, unless its retention ends meanwhile.
 *
 * Only this user may read the file.
 *
 * @throws {Error} when the file exists already, there is no database, or another one by the end, whose files would be in the backup.
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
  // What signs webhooks can be read from it.
  await writeFile(unfinished, '', { mode: 0o600, flag: 'wx' })
  try {
    const before = await identify(databaseFile)
    takeSnapshot(databaseFile, unfinished)
    await addFiles(unfinished, dataFolder, options)
    if ((await identify(databaseFile)) !== before) throw new Error(`${dataFolder} was restored while it was backed up; back it up again.`)
    await sealBackup(unfinished, options)
    await rename(unfinished, target)
    await syncFolder(dirname(target))
  } finally {
    await rm(unfinished, { force: true })
  }
  return { bytes: (await stat(target)).size }
}

/** Which file lies there; null = none. */
async function identify(file: string): Promise<string | null> {
  const found = await stat(file, { bigint: true }).catch(unlessGone)
  return found === null ? null : `${found.dev} ${found.ino}`
}

function takeSnapshot(databaseFile: string, target: string): void {
  using database = new DatabaseSync(databaseFile, { readOnly: true, timeout: 10_000 })
  // Reads from one transaction, so that writers neither wait for it nor make it begin again.
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

/** A file as it is; null when it was deleted since it was listed, because its retention has ended. */
async function readStored(path: string): Promise<{ readonly modifiedMs: number; readonly bytes: Buffer } | null> {
  const file = await open(path).catch(unlessGone)
  if (file === null) return null
  await using opened = file
  return { modifiedMs: Math.round((await opened.stat()).mtimeMs), bytes: await opened.readFile() }
}

/** Paths inside the folder, a folder at a time: any of them may be deleted while the others are read. */
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
