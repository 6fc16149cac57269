import { closeSync, existsSync, openSync } from 'node:fs'
import { mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { keepPrivate } from '../private-files.ts'
import { readInteger } from '../rows/row.ts'
import { nameOpenFault } from '../write-fault.ts'
import { Connection } from './connection.ts'
import { migrations } from './schema/migrations.ts'

/** The write-ahead log is truncated to this size whenever it restarts, even if a long read let it grow. */
export const walLimitBytes = 16 * 2 ** 20

/**
 * Opens the writing connection: commits are durable, the schema is migrated, and deleted data is overwritten. Only this user has access to
 * the files.
 */
export function openDatabase(file: string): Connection {
  try {
    return open(file)
  } catch (error) {
    throw nameOpenFault(file, error)
  }
}

function open(file: string): Connection {
  // SQLite would create it readable for everybody; its side files inherit the permissions of this one.
  closeSync(openSync(file, 'a', 0o600))
  for (const suffix of ['', '-wal', '-shm']) keepPrivate(file + suffix)
  const connection = new Connection(file)
  try {
    keepWriteAheadLog(connection, file)
    connection.script('pragma synchronous = full; pragma temp_store = memory; pragma secure_delete = on;')
    migrate(connection)
    return connection
  } catch (error) {
    connection[Symbol.dispose]()
    throw error
  }
}

/** @throws {Error} if the file system does not support a write-ahead log, without which readers would block on writers. */
export function keepWriteAheadLog(connection: Connection, file: string): void {
  const mode = connection.get('pragma journal_mode = wal')?.journal_mode
  if (mode !== 'wal')
    throw new Error(`The database ${file} cannot keep a write-ahead log (journal mode ${mode}); put the data folder on a local disk.`)
  connection.get(`pragma journal_size_limit = ${walLimitBytes}`)
}

/** Whether a database exists with the current schema; newer ones are not inspected. */
export function isUpToDate(file: string): boolean {
  if (!existsSync(file)) return false
  try {
    using connection = new Connection(file, { readOnly: true })
    return readVersion(connection) >= migrations.length
  } catch (error) {
    throw nameOpenFault(file, error)
  }
}

/** Migrates the schema in one transaction. */
export function migrate(connection: Connection): void {
  if (readVersion(connection) === migrations.length) return
  connection.script('begin exclusive')
  try {
    // Another process may have migrated while this one waited for the lock.
    const version = readVersion(connection)
    if (version > migrations.length)
      throw new Error(`The database was written by a newer version of the service (schema ${version}); start that version.`)
    if (version === 0 && connection.get('select 1 from sqlite_schema') !== undefined)
      throw new Error(`The database ${connection.database.location()} belongs to another program; choose another --data.`)
    for (const step of migrations.slice(version)) connection.script(step)
    connection.script(`pragma user_version = ${migrations.length}; commit`)
  } catch (error) {
    if (connection.database.isTransaction) connection.script('rollback')
    throw error
  }
}

function readVersion(connection: Connection): number {
  return readInteger(connection.get('pragma user_version') ?? {}, 'user_version')
}

/**
 * Creates a folder with access for this user only, and missing parents; an existing folder keeps its permissions.
 *
 * Node's recursive mkdir loops forever if a folder exists but cannot contain others, as in /proc; this one fails with the system's error.
 */
export async function makeFolder(path: string): Promise<void> {
  await makeMissing(path, 0o700)
}

async function makeMissing(path: string, mode: number): Promise<void> {
  const parent = dirname(path)
  if (parent !== path && !(await exists(parent))) await makeMissing(parent, 0o777)
  try {
    await mkdir(path, { mode })
  } catch (error) {
    if (!(await stat(path).catch(() => null))?.isDirectory()) throw error
  }
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null)) !== null
}
