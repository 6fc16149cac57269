import { existsSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { explainUnwritable, proveWritable } from '../private-files.ts'
import { nameOpenFault } from '../write-fault.ts'

/**
 * Checks all pages and references of a database with SQLite; returns the faults, none if it is intact.
 *
 * @param options.isFrozen Whether its folder is read-only. SQLite otherwise creates files there even for reading.
 */
export function checkDatabase(file: string, { isFrozen = false }: { readonly isFrozen?: boolean } = {}): readonly string[] {
  try {
    using database = new DatabaseSync(isFrozen && !existsSync(`${file}-wal`) ? unchanging(file) : file, { readOnly: true, timeout: 10_000 })
    const damage = database
      .prepare('pragma integrity_check')
      .all()
      .map((row) => String(row.integrity_check))
    const dangling = database.prepare('pragma foreign_key_check').all()
    return [
      ...damage.filter((line) => line !== 'ok'),
      ...dangling.map((row) => `a row of ${row.table} refers to a row of ${row.parent} that does not exist`),
    ]
  } catch (error) {
    const named = nameOpenFault(file, error)
    return [named instanceof Error ? named.message : String(named)]
  }
}

/** @see https://sqlite.org/uri.html#uriimmutable */
function unchanging(file: string): URL {
  const address = pathToFileURL(file)
  address.searchParams.set('immutable', '1')
  return address
}

/**
 * Why this user could not run a service on a folder: the first file that is not writable, with the fix; null = none. Missing files are
 * fine.
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
