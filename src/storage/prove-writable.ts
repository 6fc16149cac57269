import { randomUUID } from 'node:crypto'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isDiskFull } from './write-fault.ts'

/**
 * Writes a file into a folder and removes it, as only that shows whether one may. A disk that is full is none of its concern: that passes.
 *
 * @throws {Error} with the system's code when nothing can be written there, and what to change.
 */
export async function proveWritable(folder: string): Promise<void> {
  const file = join(folder, randomUUID())
  try {
    await writeFile(file, '', { flag: 'wx', mode: 0o600 })
    await rm(file)
  } catch (cause) {
    if (isDiskFull(cause)) return
    throw new Error(explainUnwritable(folder, cause), { cause })
  }
}

/** What to change where a file or folder of the data folder cannot be written. */
export function explainUnwritable(path: string, cause: unknown): string {
  const code = cause instanceof Error && 'code' in cause ? ` (${cause.code})` : ''
  return `${path} is not writable${code}; change its permissions, mount it writable, or choose another --data.`
}
