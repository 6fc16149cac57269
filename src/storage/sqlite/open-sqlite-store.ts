import { dirname } from 'node:path'
import type { Clock } from '../../core/ports/clock.ts'
import type { QueueLimits } from '../../core/ports/inference-queue.ts'
import type { Store } from '../../core/ports/store.ts'
import { createLocalCounts } from '../local-counts.ts'
import { refuseAborted } from '../refuse-aborted.ts'
import { DatabaseAuditLog } from '../tables/audit-log.ts'
import { SqliteAccessTokenStore } from './access-token-store.ts'
import { SqliteAccountStore } from './account-store.ts'
import { SqliteBudgetLedger } from './budget-ledger.ts'
import { Connection } from './connection.ts'
import { DatabaseDamage } from './database-damage.ts'
import { SqliteDocumentStore } from './document-store.ts'
import { isUpToDate, makeFolder, openDatabase } from './open-database.ts'
import { describeOwner, isOwned, takeOwnerLock } from './owner-lock.ts'
import { SqliteInferenceLog } from './queue/inference-log.ts'
import { SqliteInferenceQueue } from './queue/inference-queue.ts'
import { SqliteRequestLog } from './request-log.ts'
import { SqliteDatabase } from './sqlite-database.ts'
import { TurnConnection } from './turn-connection.ts'
import { SqliteUsageLog } from './usage-log.ts'
import { SqliteWebhookLog } from './webhook-log.ts'
import { ThreadWriter } from './writer/thread-writer.ts'
import type { Writer } from './writer/writer.ts'
import { DirectWriter } from './writer/writer.ts'

export interface SqliteStoreSettings {
  /** Path of the database; its folder is created if missing and belongs to one service at a time. */
  readonly file: string
  readonly clock: Clock
  readonly limits: QueueLimits
  /**
   * `service` owns the folder: inferences left running by an earlier owner are requeued at once, with the attempt counted. `tool` makes
   * short reads and writes, with or without a running service.
   */
  readonly mode: 'service' | 'tool'
}

/**
 * Opens the embedded store, creating or migrating its database.
 *
 * @throws {Error} naming the other process if another service owns the folder, or if a tool would have to migrate the database in use.
 */
export async function openSqliteStore({ file, clock, limits, mode }: SqliteStoreSettings): Promise<Store> {
  await using undo = new AsyncDisposableStack()
  await makeFolder(dirname(file))
  if (mode === 'service') undo.use(await takeOwnerLock(dirname(file)))
  const damage = new DatabaseDamage()
  const { writer, reader } = mode === 'service' ? await openForService(file, damage, undo) : await openForTool(file, undo)
  if (mode === 'service') await writer.run('reclaim', { leaseEnd: Number.MAX_SAFE_INTEGER, spared: [] }, clock.now())
  if (mode === 'service') await writer.run('forgetReservations', {}, clock.now())
  const owned = undo.move()
  const store = assembleSqliteStore({ writer, reader }, { clock, limits }, () => owned.disposeAsync())
  return { ...store, isDamaged: () => damage.isKnown }
}

interface Connections {
  readonly writer: Writer
  readonly reader: Connection
}

/** The store over open connections; `close` closes them. */
export function assembleSqliteStore(
  { writer, reader }: Connections,
  { clock, limits }: Pick<SqliteStoreSettings, 'clock' | 'limits'>,
  close: () => Promise<void>,
): Store {
  const database = new SqliteDatabase(writer, reader, clock)
  return {
    clock,
    ...refuseAborted({
      queue: new SqliteInferenceQueue(writer, { clock, limits }),
      log: new SqliteInferenceLog(reader, clock),
      accounts: new SqliteAccountStore(database, clock),
      tokens: new SqliteAccessTokenStore(database, clock),
      usage: new SqliteUsageLog(database, clock),
      ledger: new SqliteBudgetLedger(database, clock),
      counts: createLocalCounts(),
      webhooks: new SqliteWebhookLog(database, clock),
      audit: new DatabaseAuditLog(database, clock),
      documents: new SqliteDocumentStore(database, clock),
      requests: new SqliteRequestLog(database, clock),
    }),
    [Symbol.asyncDispose]: close,
  }
}

async function openForService(file: string, damage: DatabaseDamage, owned: AsyncDisposableStack): Promise<Connections> {
  const writer = owned.use(await ThreadWriter.open(file, damage))
  const reader = owned.use(new TurnConnection(file, damage))
  writer.beforeReplies(() => reader.endMoment())
  return { writer, reader }
}

async function openForTool(file: string, owned: AsyncDisposableStack): Promise<Connections> {
  const writer = owned.use(new DirectWriter(await openBesideService(file)))
  return { writer, reader: owned.use(new Connection(file, { readOnly: true })) }
}

/** Migrates only if no service is using the database: an older one cannot work with a newer schema. */
async function openBesideService(file: string): Promise<Connection> {
  if (isUpToDate(file)) return openDatabase(file)
  const folder = dirname(file)
  using _owned = await takeOwnerLock(folder).catch(async (cause: unknown) => {
    if (!isOwned(cause)) throw cause
    const { owner, advice } = await describeOwner(folder)
    throw new Error(
      `The database in ${folder} is of an earlier version of the service, and ${owner} is using it; stop it first, or use the command line of its version.${advice}`,
      { cause },
    )
  })
  return openDatabase(file)
}
