import { existsSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { nameOpenFault } from '../name-open-fault.ts'

/**
 * What SQLite finds wrong with a database, page by page and reference by reference; nothing when it is whole.
 *
 * @param options.isFrozen Whether nothing can be written beside it, as SQLite does even to read while there is no write-ahead log.
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
