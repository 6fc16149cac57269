import { existsSync } from 'node:fs'
import { open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { isBusy } from '../../core/sqlite-code.ts'
import type { Abortable } from '../../core/waiting.ts'
import { takeFileLock } from '../../locking/file-lock.ts'
import { syncFolder } from '../private-files.ts'
import { isDiskFull } from '../write-fault.ts'
import { belongsIntoBackup, createFilesTable, type DataPlace, filePieceBytes, pathOfPiece, sealBackup } from './backup-format.ts'

export interface BackupOptions {
  readonly signal: AbortSignal
  /** Called with the number of files done and in total. */
  readonly onProgress: (done: number, total: number) => void
  /** {@link filePieceBytes} unless a test sets another size. */
  readonly pieceBytes?: number
}

/** Written until the backup is complete. */
const unfinishedEnding = '.unfinished'
/** Held by the process that writes an unfinished backup. */
const lockEnding = `${unfinishedEnding}.lock`

/**
 * Writes the database and the other files into one new file, even while the service is running. Removes what killed backups left in the
 * file's folder.
 *
 * The snapshot of the database comes first: bytes are stored before the record that names them, and deleted after it. Records deleted
 * meanwhile are therefore removed from the snapshot.
 *
 * Only this user has access to the file.
 *
 * @throws {Error} if the file exists or is being written, there is no database, or the database was replaced during the backup.
 */
export async function writeBackup(
  { databaseFile, dataFolder }: DataPlace,
  target: string,
  options: BackupOptions,
): Promise<{ readonly bytes: number }> {
  if (existsSync(target)) throw new Error(`${target} exists already; name a new file.`)
  if (!existsSync(databaseFile)) throw new Error(`There is no database in ${dataFolder}; name the data folder with --data.`)
  await removeLeftovers(dirname(target))
  const unfinished = target + unfinishedEnding
  using _lock = lockBackup(target)
  try {
    await rm(unfinished, { force: true })
    // The database contains the signing secrets of webhooks.
    await writeFile(unfinished, '', { mode: 0o600, flag: 'wx' })
    const before = await identify(databaseFile)
    takeSnapshot(databaseFile, unfinished)
    await addFiles(unfinished, dataFolder, options)
    leaveOutDeleted(unfinished, databaseFile)
    if ((await identify(databaseFile)) !== before) throw new Error(`${dataFolder} was restored while it was backed up; back it up again.`)
    await sealBackup(unfinished, options)
    await rename(unfinished, target)
    await syncFolder(dirname(target))
  } catch (cause) {
    if (!isDiskFull(cause)) throw cause
    throw new Error(`The disk of ${dirname(target)} is full; free some space or choose another file.`, { cause })
  } finally {
    await removeUnfinished(target)
  }
  return { bytes: (await stat(target)).size }
}

function lockBackup(target: string): Disposable {
  try {
    return takeFileLock(target + lockEnding)
  } catch (cause) {
    if (isBusy(cause)) throw new Error(`Another backup is being written to ${target}; wait until it ends, or name another file.`, { cause })
    // Some file systems have no locks. What a killed backup leaves there stays until the next one of its name.
    return { [Symbol.dispose]() {} }
  }
}

/** Removes the unfinished backups of a folder that no process is writing any more. */
async function removeLeftovers(folder: string): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    if (!name.endsWith(lockEnding)) continue
    const target = join(folder, name.slice(0, -lockEnding.length))
    try {
      using _lock = takeFileLock(target + lockEnding)
      await removeUnfinished(target)
    } catch {
      // It is being written, or belongs to another user.
    }
  }
}

/** Removes an unfinished backup; the caller must hold its lock. The lock is last, so that an interrupted removal is repeated. */
async function removeUnfinished(target: string): Promise<void> {
  const unfinished = target + unfinishedEnding
  // The journal of a transaction that was cut short stays.
  for (const file of [unfinished, `${unfinished}-journal`, target + lockEnding]) await rm(file, { force: true })
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

async function addFiles(
  backup: string,
  dataFolder: string,
  { signal, onProgress, pieceBytes = filePieceBytes }: BackupOptions,
): Promise<void> {
  const snapshotAt = Date.now()
  using database = new DatabaseSync(backup)
  database.exec(`${createFilesTable}; begin`)
  const insert = database.prepare('insert into backup_files (path, modified_ms, bytes) values (?, ?, ?)')
  const paths = await listFiles(dataFolder)
  for (const [index, path] of paths.entries()) {
    await copyInto(insert, { dataFolder, path, pieceBytes }, { signal })
    onProgress(index + 1, paths.length)
  }
  // An upload that was accepted meanwhile has another name, and the time of its last byte.
  const known = new Set(paths)
  for (const path of await listFiles(dataFolder))
    if (!known.has(path)) await copyInto(insert, { dataFolder, path, pieceBytes, until: snapshotAt }, { signal })
  database.exec('commit')
}

const isDeletedRequest = `status = 'completed' and not exists (select 1 from live.inferences as now where now.id = main.inferences.id)`
/** Removes records that can name files, by table; databases of early versions have no documents. */
const removals = {
  // In two steps, so that the triggers subtract the output from the account's storage.
  inferences: `update main.inferences set output_deleted = 1 where output_deleted = 0 and ${isDeletedRequest};
    delete from main.inferences where ${isDeletedRequest}`,
  // The note of a deleted account stays, so that its remaining rows are erased after a restore.
  documents: `delete from main.documents where kind <> 'deleted-account' and not exists (
    select 1 from live.documents as now where now.kind = main.documents.kind and now.id = main.documents.id)`,
}

function leaveOutDeleted(backup: string, databaseFile: string): void {
  using database = new DatabaseSync(backup, { timeout: 10_000 })
  database.prepare('attach ? as live').run(`${pathToFileURL(databaseFile).href}?mode=ro`)
  const hasTable = database.prepare(`select 1 from main.sqlite_schema where type = 'table' and name = ?`)
  for (const [table, removal] of Object.entries(removals)) if (hasTable.get(table) !== undefined) database.exec(removal)
}

/** Stores a file in pieces; one that expired and was deleted since it was listed, or was written after `until`, is left out. */
async function copyInto(
  insert: StatementSync,
  {
    dataFolder,
    path,
    pieceBytes,
    until,
  }: { readonly dataFolder: string; readonly path: string; readonly pieceBytes: number; readonly until?: number },
  { signal }: Abortable,
): Promise<void> {
  const found = await open(join(dataFolder, path)).catch(unlessGone)
  if (found === null) return
  await using file = found
  const { size, mtimeMs } = await file.stat()
  if (until !== undefined && mtimeMs > until) return
  // Up to its size now: a file that is still received may grow. It may also shrink, and a read may return less than requested.
  let offset = 0
  for (;;) {
    signal.throwIfAborted()
    const length = Math.min(pieceBytes, size - offset)
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(length), 0, length, offset)
    insert.run(pathOfPiece(path, offset), Math.round(mtimeMs), buffer.subarray(0, bytesRead))
    offset += bytesRead
    if (bytesRead === 0 || offset >= size) return
  }
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
