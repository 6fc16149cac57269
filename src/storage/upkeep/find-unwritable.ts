import { open } from 'node:fs/promises'
import { explainUnwritable, proveWritable } from '../prove-writable.ts'

/**
 * Why this user could not run a service on a folder, though the files may be readable: the first that cannot be written, with what to change; null when
 * all can. Files that are not there would be made.
 */
export async function findUnwritable(folder: string, files: readonly string[]): Promise<string | null> {
  try {
    await proveWritable(folder)
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
  for (const file of files) {
    try {
      await (await open(file, 'r+')).close()
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) return explainUnwritable(file, error)
    }
  }
  return null
}
