import { createHash, randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readdir, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { isBusy } from '../../core/sqlite-code.ts'
import { takeFileLock } from '../../locking/file-lock.ts'

const prefix = '.pulling-'
const leavingPrefix = '.removing-'
const hashed = /-[0-9a-f]{16}$/u
const lockName = '.lock'

/**
 * The hidden folder of an unfinished pull.
 *
 * @param name The model's folder when it is complete.
 * @param content What is pulled: another attempt continues only with exactly the same.
 */
export function unfinishedFolder(modelsFolder: string, name: string, content: string): string {
  return join(modelsFolder, `${prefix}${name}-${createHash('sha256').update(content).digest('hex').slice(0, 16)}`)
}

/**
 * Makes this pull the only one of all processes that writes into an unfinished folder, until it is disposed of or its process dies; null =
 * another one does.
 */
export function takePullLock(folder: string): Disposable | null {
  try {
    return takeFileLock(join(folder, lockName))
  } catch (error) {
    // Other errors are those of file systems without locks, where pulls work all the same.
    return isBusy(error) ? null : { [Symbol.dispose]() {} }
  }
}

/** Removes the lock file from the folder of a complete model. */
export async function removePullLock(folder: string): Promise<void> {
  await rm(join(folder, lockName), { force: true })
}

/**
 * A hidden path beside a model for its removal; each removal has its own, so that several at once do not meet, and no name of a model makes
 * it too long.
 */
export function leavingPath(model: string): string {
  return join(dirname(model), `${leavingPrefix}${randomUUID()}`)
}

/** Deletes a folder or file, also while another process does. */
export async function removeTree(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true, maxRetries: 10 })
}

/**
 * Frees the space of models that were not removed completely, and of unfinished pulls that no process continues: those of installed models,
 * and those without progress for long.
 *
 * @param options.abandonedBefore Last progress in Unix milliseconds before which a pull counts as abandoned; absent = none does.
 * @param options.onFault Called for each that cannot be removed, such as one of another user.
 */
export async function removeLeftovers(
  modelsFolder: string,
  { abandonedBefore, onFault }: { readonly abandonedBefore?: number; readonly onFault: (error: unknown) => void },
): Promise<void> {
  const names = await readdir(modelsFolder).catch(() => [])
  for (const name of names) await removeLeftover(modelsFolder, name, abandonedBefore).catch(onFault)
}

async function removeLeftover(modelsFolder: string, name: string, abandonedBefore: number | undefined): Promise<void> {
  const folder = join(modelsFolder, name)
  if (name.startsWith(leavingPrefix)) await removeTree(folder)
  if (!name.startsWith(prefix)) return
  const isInstalled = existsSync(join(modelsFolder, name.slice(prefix.length).replace(hashed, '')))
  const isOver = isInstalled || (abandonedBefore !== undefined && (await lastProgress(folder)) < abandonedBefore)
  if (!isOver) return
  using lock = takePullLock(folder)
  if (lock !== null) await removeTree(folder)
}

/** Unix milliseconds of the last change of a file in a folder. */
async function lastProgress(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true }).catch(() => [])
  const all = await Promise.all([folder, ...entries.map((entry) => join(folder, entry))].map((path) => stat(path).catch(() => null)))
  return Math.max(0, ...all.map((stats) => stats?.mtimeMs ?? 0))
}
