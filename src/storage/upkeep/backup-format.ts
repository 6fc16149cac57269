import { DatabaseSync } from 'node:sqlite'
import { isSealWhole } from './backup-seal.ts'

/**
 * A backup is the database itself, as one consistent snapshot, with one more table that holds the files beside it.
 * So one file is the whole backup, and any SQLite can look into it. Its checksum is behind its last page.
 */
export const createFilesTable =
  'create table backup_files (path text primary key, modified_ms integer not null, bytes blob not null) strict'
/** Turns a backup back into a plain database. */
export const dropFilesTable = 'drop table backup_files'

/**
 * Opens a backup and checks it from the first bit to the last.
 *
 * @throws {Error} when the file is no backup, or a damaged one.
 */
export async function openBackup(file: string, options: { readonly signal: AbortSignal }): Promise<DatabaseSync> {
  if (!(await isSealWhole(file, options))) throw damaged(file)
  let database: DatabaseSync | undefined
  try {
    database = new DatabaseSync(file, { readOnly: true })
    database.prepare('select count(*) from backup_files').get()
    const found = database.prepare('pragma integrity_check').get()?.integrity_check
    if (found !== 'ok') throw new Error(`integrity_check: ${found}`)
    return database
  } catch (cause) {
    database?.close()
    throw damaged(file, cause)
  }
}

function damaged(file: string, cause?: unknown): Error {
  return new Error(`${file} is not a whole backup that sepia backup wrote; copy it here again, or take another one.`, { cause })
}

/** Whether a file of the data folder, by its path inside it, goes into a backup beside the database. The keys of the request log do not: a backup that is stolen must not be read. */
export function belongsIntoBackup(path: string): boolean {
  const [top = '', second] = path.split('/')
  if (/^(?:sepia\.db|owner\.|restoring|request-log\.keys)/.test(top) || top === 'models') return false
  return !(top === 'outputs' && second === 'unfinished')
}
