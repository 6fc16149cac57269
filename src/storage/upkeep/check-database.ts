import { DatabaseSync } from 'node:sqlite'

/** What SQLite finds wrong with a database, page by page and reference by reference; nothing when it is whole. */
export function checkDatabase(file: string): readonly string[] {
  try {
    using database = new DatabaseSync(file, { readOnly: true, timeout: 10_000 })
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
    return [error instanceof Error ? error.message : String(error)]
  }
}
