import type { Stats } from 'node:fs'
import { access, constants, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { UsageError } from './failures.ts'

/**
 * Checks that a file can be written before its content is produced.
 *
 * @param file Absolute.
 * @param options.where Name of the flag or argument, for messages.
 * @param options.replaces Whether it may overwrite an existing file.
 * @throws {UsageError} with the fix if it cannot be written.
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
  // Creating a file also needs execute permission on the folder.
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
