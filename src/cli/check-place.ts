import type { Stats } from 'node:fs'
import { access, constants, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { UsageError } from './failures.ts'

/**
 * Checks where a file is to go before work is spent on what it will hold.
 *
 * @param file Absolute.
 * @param options.where The flag or argument that named it, as faults name it.
 * @param options.replaces Whether it may go over a file that is there.
 * @throws {UsageError} when it cannot be written there, with what to change.
 */
export async function checkPlace(file: string, { where, replaces }: { readonly where: string; readonly replaces: boolean }): Promise<void> {
  const found = await stat(file).catch(() => null)
  const message = found === null ? await folderFault(dirname(file)) : await fileFault(file, found, { where, replaces })
  if (message !== null) throw new UsageError([{ where, message }])
}

async function folderFault(folder: string): Promise<string | null> {
  const found = await stat(folder).catch(() => null)
  if (found === null) return `the folder ${folder} does not exist; create it, or choose another file.`
  if (!found.isDirectory()) return `${folder} is not a folder; choose another file.`
  // Without the right to pass through, nothing can be made in it.
  if (await may(folder, constants.W_OK | constants.X_OK)) return null
  return `${folder} is not writable for this user; choose another file, or change its permissions.`
}

async function fileFault(
  file: string,
  found: Stats,
  { where, replaces }: { readonly where: string; readonly replaces: boolean },
): Promise<string | null> {
  if (found.isDirectory()) return `${file} is a folder; choose a file in it.`
  if (!replaces) return `${file} already exists; choose another${where.startsWith('--') ? ` with ${where}` : ''}.`
  return (await may(file, constants.W_OK)) ? null : `${file} is not writable for this user; choose another, or change its permissions.`
}

async function may(path: string, mode: number): Promise<boolean> {
  return access(path, mode).then(
    () => true,
    () => false,
  )
}
