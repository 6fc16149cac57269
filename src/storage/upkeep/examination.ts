import { existsSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { ServiceError } from '../../core/error.ts'
import type { Inference } from '../../core/inference.ts'
import type { AccountStore } from '../../core/ports/account-store.ts'
import type { InferenceLog } from '../../core/ports/inference-log.ts'
import type { OutputStore } from '../../core/ports/output-store.ts'
import type { Abortable } from '../../core/waiting.ts'
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

export interface OutputCheck {
  readonly checked: number
  /** Ids of inferences whose output is missing or damaged. */
  readonly damaged: readonly string[]
}

/**
 * Reads every available output and compares it with its record.
 *
 * @throws {ServiceError} `server_is_overloaded` if the output store does not respond.
 */
export async function checkOutputs(
  {
    accounts,
    log,
    outputs,
    now,
  }: { readonly accounts: AccountStore; readonly log: InferenceLog; readonly outputs: OutputStore; readonly now: number },
  options: Abortable,
): Promise<OutputCheck> {
  const damaged: string[] = []
  let checked = 0
  for (const { id: accountId } of await accounts.list(options)) {
    for await (const { id, output, expiresAt } of completedInferences(log, accountId, options)) {
      if (output === null || expiresAt === null || expiresAt <= now) continue
      checked += 1
      const whole = await outputs.open(output, options).then(() => true, isDamage)
      if (!whole) damaged.push(id)
    }
  }
  return { checked, damaged }
}

async function* completedInferences(log: InferenceLog, accountId: string, options: Abortable): AsyncGenerator<Inference> {
  let after: string | null = null
  do {
    const page: Awaited<ReturnType<InferenceLog['list']>> = await log.list({ accountId, status: 'completed', limit: 100, after }, options)
    yield* page.inferences
    after = page.next
  } while (after !== null)
}

/** @throws The error if it does not mean damage, such as an unavailable store. */
function isDamage(error: unknown): false {
  if (error instanceof ServiceError && error.code === 'internal_error') return false
  throw error
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
