import { createHash } from 'node:crypto'
import { open } from 'node:fs/promises'
import { DatabaseSync } from 'node:sqlite'
import type { Abortable } from '../../core/waiting.ts'

/**
 * A backup is a consistent snapshot of the database with an additional table for the other files. It is a single file that any SQLite can
 * open. Its checksum follows the last page.
 */
export const createFilesTable =
  'create table backup_files (path text primary key, modified_ms integer not null, bytes blob not null) strict'

/** Size of the pieces in which a file is stored; SQLite's values have at most a billion bytes. */
export const filePieceBytes = 16 * 1024 * 1024

/** The path of a file's piece. Earlier versions refuse the later ones, since no file's path has two slashes. */
export function pathOfPiece(path: string, offset: number): string {
  return offset === 0 ? path : `${path}//${offset}`
}

/** The file and the offset of a stored piece. */
export function readPieceOf(stored: string): { readonly path: string; readonly offset: number } {
  const [, path, offset] = /^(.+)\/\/(\d{1,15})$/.exec(stored) ?? []
  return path === undefined ? { path: stored, offset: 0 } : { path, offset: Number(offset) }
}

/** Turns a backup back into a plain database. */
export const dropFilesTable = 'drop table backup_files'

/**
 * Opens a backup and verifies it completely.
 *
 * @throws {Error} if the file is not a backup, or damaged.
 */
export async function openBackup(file: string, options: Abortable): Promise<DatabaseSync> {
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
  return new Error(`${file} is not a complete backup of sepia backup; copy it again, or use another one.`, { cause })
}

/**
 * Whether a file of the data folder, by relative path, is part of a backup. The keys of the request log are not, so that a stolen backup is
 * unreadable.
 */
export function belongsIntoBackup(path: string): boolean {
  const [top = '', second] = path.split('/')
  if (/^(?:sepia\.db|owner\.|restoring|request-log\.keys)/.test(top) || top === 'models') return false
  return !(top === 'outputs' && second === 'unfinished')
}

/**
 * The seal at the end of a backup: the SHA-256 of everything before it. SQLite reads only the pages counted in the first one, so that a
 * sealed backup is still a database. The seal's length is not a multiple of the smallest page, which identifies unsealed backups of earlier
 * versions.
 */
const pattern = /^\nsepia backup sha256 ([0-9a-f]{64})\n$/
const sealBytes = sealOf('0'.repeat(64)).length
const smallestPageBytes = 512
const chunkBytes = 1 << 20

function sealOf(sha256: string): string {
  return `\nsepia backup sha256 ${sha256}\n`
}

/** Appends the seal to a complete backup. */
export async function sealBackup(file: string, { signal }: Abortable): Promise<void> {
  await using opened = await open(file, 'a+')
  const { size } = await opened.stat()
  await opened.appendFile(sealOf(await digest(opened, size, { signal })))
  await opened.sync()
}

/** Whether a backup matches its seal. Backups without a seal must be verified by their pages. */
async function isSealWhole(file: string, { signal }: Abortable): Promise<boolean> {
  await using opened = await open(file)
  const { size } = await opened.stat()
  if (size % smallestPageBytes === 0) return true
  const content = Math.max(0, size - sealBytes)
  const { buffer, bytesRead } = await opened.read({ buffer: Buffer.alloc(sealBytes), position: content })
  const sealed = pattern.exec(buffer.toString('latin1', 0, bytesRead))?.[1]
  return sealed !== undefined && sealed === (await digest(opened, content, { signal }))
}

async function digest(file: Awaited<ReturnType<typeof open>>, bytes: number, { signal }: Abortable): Promise<string> {
  const hash = createHash('sha256')
  const buffer = Buffer.alloc(chunkBytes)
  for (let position = 0; position < bytes; ) {
    signal.throwIfAborted()
    const { bytesRead } = await file.read({ buffer, position, length: Math.min(chunkBytes, bytes - position) })
    if (bytesRead === 0) break
    hash.update(buffer.subarray(0, bytesRead))
    position += bytesRead
  }
  return hash.digest('hex')
}

/** Paths of the database and the other files. */
export interface DataPlace {
  readonly databaseFile: string
  readonly dataFolder: string
}
