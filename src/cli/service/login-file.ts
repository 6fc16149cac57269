import { chmod, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { parseRecord } from '../../core/json-value.ts'

/** The service and access token for client commands. */
export interface Login {
  /** Its origin, such as `https://sepia.example`. */
  readonly url: string
  readonly token: string
}

/** Path of the user's login file. */
export function loginFile(environment: Readonly<Record<string, string | undefined>>): string {
  const folder = environment.XDG_CONFIG_HOME || join(environment.HOME || homedir(), '.config')
  return join(folder, 'sepia', 'login.json')
}

/**
 * Reads a login file; null = none.
 *
 * @throws {Error} naming the file if it is invalid.
 */
export async function readLogin(file: string): Promise<Login | null> {
  const text = await readFile(file, 'utf8').catch(onlyMissing(null))
  if (text === null) return null
  const login = parse(text)
  if (login === null) throw new Error(`${file} is not a valid login; run sepia login again.`)
  return login
}

/**
 * Writes a login atomically, readable only by its user.
 *
 * @throws {Error} with an alternative if it cannot be stored, as in a container with a read-only root.
 */
export async function writeLogin(file: string, login: Login): Promise<void> {
  await write(file, login).catch((cause: unknown) => {
    throw new Error(`${file} cannot be written; set XDG_CONFIG_HOME to another folder, or use SEPIA_URL and SEPIA_TOKEN.`, { cause })
  })
}

async function write(file: string, login: Login): Promise<void> {
  await makeFolder(dirname(file))
  const unfinished = `${file}.${process.pid}`
  await writeFile(unfinished, `${JSON.stringify(login, null, 2)}\n`, { mode: 0o600 })
  await chmod(unfinished, 0o600)
  await rename(unfinished, file)
}

/**
 * Node's recursive mkdir loops forever if a folder exists but cannot contain others, as in /proc; this one fails with the system's error.
 */
async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 })
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null
    if (code === 'EEXIST') return
    // In /proc the parent exists although the system reports it missing.
    if (code !== 'ENOENT' || (await stat(dirname(path)).catch(() => null)) !== null) throw error
    await makeFolder(dirname(path))
    await mkdir(path, { mode: 0o700 })
  }
}

/** Deletes the login; false = there is none. */
export async function removeLogin(file: string): Promise<boolean> {
  return rm(file).then(() => true, onlyMissing(false))
}

function onlyMissing<T>(otherwise: T): (error: unknown) => T {
  return (error) => {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) return otherwise
    throw error
  }
}

function parse(text: string): Login | null {
  const value = parseRecord(text)
  if (typeof value?.url !== 'string' || typeof value.token !== 'string') return null
  return { url: value.url, token: value.token }
}
