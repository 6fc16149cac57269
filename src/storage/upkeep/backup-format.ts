import { createHash } from 'node:crypto'
import { open } from 'node:fs/promises'
import { DatabaseSync } from 'node:sqlite'

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

/**
 * The end of a backup: the SHA-256 of everything before it. SQLite reads as many pages as the first one tells and nothing behind them, so that a sealed backup is
 * a database still. No multiple of the smallest page, so that a file which ends with a page has no seal: an earlier version wrote it.
 */
const pattern = /^\nsepia backup sha256 ([0-9a-f]{64})\n$/
const sealBytes = sealOf('0'.repeat(64)).length
const smallestPageBytes = 512
const chunkBytes = 1 << 20

function sealOf(sha256: string): string {
  return `\nsepia backup sha256 ${sha256}\n`
}

/** Adds the seal to a backup that is complete. */
export async function sealBackup(file: string, { signal }: { readonly signal: AbortSignal }): Promise<void> {
  await using opened = await open(file, 'r+')
  const { size } = await opened.stat()
  await opened.write(sealOf(await digest(opened, size, { signal })), size)
  await opened.sync()
}

/** Whether a backup is as it was written; of one without a seal nobody knows, and its pages have to speak for it. */
async function isSealWhole(file: string, { signal }: { readonly signal: AbortSignal }): Promise<boolean> {
  await using opened = await open(file)
  const { size } = await opened.stat()
  if (size % smallestPageBytes === 0) return true
  const content = Math.max(0, size - sealBytes)
  const { buffer, bytesRead } = await opened.read({ buffer: Buffer.alloc(sealBytes), position: content })
  const sealed = pattern.exec(buffer.toString('latin1', 0, bytesRead))?.[1]
  return sealed !== undefined && sealed === (await digest(opened, content, { signal }))
}

async function digest(
  file: Awaited<ReturnType<typeof open>>,
  bytes: number,
  { signal }: { readonly signal: AbortSignal },
): Promise<string> {
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

/** Where the database and the files beside it lie. */
export interface DataPlace {
  readonly databaseFile: string
  readonly dataFolder: string
}
