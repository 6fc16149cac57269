import { rmSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { isRecord, parseRecord } from '../../core/json-value.ts'
import { isBusy } from '../../core/sqlite-code.ts'
import { takeFileLock } from '../../locking/file-lock.ts'
import { isDiskFull, nameOpenFault } from '../write-fault.ts'
import { makeFolder } from './open-database.ts'

/**
 * Makes this process the only service on a data folder until it is disposed of or dies.
 *
 * @throws {Error} naming the process that holds the folder, with the fix.
 */
export async function takeOwnerLock(folder: string): Promise<Disposable> {
  await makeFolder(folder)
  const file = lockIn(folder)
  let lock: Disposable
  try {
    lock = takeFileLock(file)
  } catch (cause) {
    if (!isBusy(cause)) throw nameOpenFault(file, cause)
    const { owner, advice } = await describeOwner(folder)
    throw new Error(`The data folder ${folder} is in use by ${owner}; stop it first, or use another data folder.${advice}`, { cause })
  }
  try {
    await writeNote(folder, {})
  } catch (error) {
    lock[Symbol.dispose]()
    throw error
  }
  return {
    [Symbol.dispose]: () => {
      removeNote(folder)
      lock[Symbol.dispose]()
    },
  }
}

/** Records the settings of the folder's owner for {@link readOwnerSettings}; only the owner may call it. */
export async function noteOwnerSettings(folder: string, settings: Readonly<Record<string, string>>): Promise<void> {
  await writeNote(folder, { settings })
}

/** The recorded settings of the process that owns the folder; null = no owner, this process, or nothing recorded. */
export async function readOwnerSettings(folder: string): Promise<Readonly<Record<string, string>> | null> {
  const note = parseRecord(await readFile(noteIn(folder), 'utf8').catch(() => ''))
  if (note === null || typeof note.pid !== 'number' || note.pid === process.pid || !isAlive(note.pid) || !isRecord(note.settings))
    return null
  return Object.fromEntries(Object.entries(note.settings).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])))
}

async function writeNote(folder: string, more: Readonly<Record<string, unknown>>): Promise<void> {
  const note = `${JSON.stringify({ pid: process.pid, host: hostname(), started: new Date().toISOString(), ...more })}\n`
  try {
    await writeFile(noteIn(folder), note)
  } catch (cause) {
    if (!isDiskFull(cause)) throw cause
    throw new Error(`The disk of ${folder} is full or out of inodes (df -i); free some space and try again.`, { cause })
  }
}

/** In a read-only folder the note stays; it becomes invalid when this process ends. */
function removeNote(folder: string): void {
  try {
    rmSync(noteIn(folder), { force: true })
  } catch {}
}

/** A process that was killed leaves its note behind. */
function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    // It is running as another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

/** The process that holds the folder, or held it last, and the end of an error message for folders on network shares. */
export async function describeOwner(folder: string): Promise<{ readonly owner: string; readonly advice: string }> {
  const { pid, host, started } = parseRecord(await readFile(noteIn(folder), 'utf8').catch(() => '')) ?? {}
  // Notes of earlier versions name no machine.
  const isElsewhere = typeof host === 'string' && host !== hostname()
  const owner =
    typeof pid !== 'number'
      ? 'another process'
      : `process ${pid}${isElsewhere ? ` on the machine ${host}` : ''}${typeof started === 'string' ? ` (started ${started})` : ''}`
  if (isElsewhere) return { owner, advice: ' Only one machine can use a data folder; several share PostgreSQL (database-url).' }
  const known = typeof pid === 'number'
  if (known && isAlive(pid)) return { owner, advice: '' }
  // Without a note, the process may have only just begun.
  return { owner, advice: `${known ? ' No such process runs here.' : ''}${onShare}` }
}

const onShare =
  ' On a network share (NFS, SMB), stop the service on the other machine; if there is none, the share has no file locks: move the data folder to a local disk.'

/** The files it writes into the folder. */
export function ownerFiles(folder: string): readonly string[] {
  return [lockIn(folder), noteIn(folder)]
}

/** Whether {@link takeOwnerLock} failed because another process owns the folder. */
export function isOwned(error: unknown): boolean {
  return error instanceof Error && isBusy(error.cause)
}

function lockIn(folder: string): string {
  return join(folder, 'owner.lock')
}

function noteIn(folder: string): string {
  return join(folder, 'owner.json')
}
