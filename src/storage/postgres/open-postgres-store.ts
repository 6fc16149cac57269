import { randomUUID } from 'node:crypto'
import type { Clock } from '../../core/ports/clock.ts'
import type { QueueLimits } from '../../core/ports/inference-queue.ts'
import type { NodeRegistry } from '../../core/ports/node-registry.ts'
import type { Store } from '../../core/ports/store.ts'
import { refuseAborted } from '../refuse-aborted.ts'
import { DatabaseAuditLog } from '../tables/audit-log.ts'
import { repeatable } from '../tables/statements.ts'
import { PostgresAccessTokenStore } from './access-token-store.ts'
import { PostgresAccountStore } from './account-store.ts'
import { PostgresBudgetLedger } from './budget-ledger.ts'
import { checkSessions } from './connecting/connection.ts'
import { Database } from './database.ts'
import { DatabaseClock } from './database-clock.ts'
import { PostgresDocumentStore } from './document-store.ts'
import { PostgresNodeRegistry, Presence } from './node-registry.ts'
import { Notifier } from './notifier.ts'
import { PostgresInferenceLog } from './queue/inference-log.ts'
import { PostgresInferenceQueue } from './queue/inference-queue.ts'
import { QueuePlaces } from './queue/queue-places.ts'
import { PostgresRequestLog } from './request-log.ts'
import { migrate } from './schema/migrate.ts'
import { makePartitions } from './schema/partitions.ts'
import { PostgresSharedCounts } from './shared-counts.ts'
import { PostgresUsageLog } from './usage-log.ts'
import { PostgresWebhookLog } from './webhook-log.ts'

export interface PostgresStoreSettings {
  /** `postgres://user:password@host/database`; the database must exist, its tables are created. */
  readonly url: string
  /** Reads the address again, such as from a file; absent = it never changes. */
  readonly readUrl?: () => Promise<string>
  /** Used for waiting; times come from the database. */
  readonly clock: Clock
  readonly limits: QueueLimits
  /** `service` maintains partitions and reservations and receives notifications; `tool` makes short reads and writes. */
  readonly mode: 'service' | 'tool'
  /** Source of stored times: the database (default), or `clock` in tests. */
  readonly time?: 'database' | 'clock'
}

/** The store of a cluster, with parts specific to PostgreSQL. */
export interface PostgresStore extends Store {
  readonly database: Database
  readonly nodes: NodeRegistry
  /** Notifies other nodes of completed inferences and receives their notifications. */
  readonly notifier: Notifier
  /** Warnings about the server. */
  readonly warnings: readonly string[]
}

/**
 * Opens the store shared by all nodes on a database, migrating its schema.
 *
 * @throws {ServiceError} `server_is_overloaded` if the server does not respond.
 * @throws {Error} if the server is too old or may lose commits, the schema is newer than this version, or a pooler does not keep sessions.
 */
export async function openPostgresStore({
  url,
  readUrl = async () => url,
  clock: machine,
  limits,
  mode,
  time = 'database',
}: PostgresStoreSettings): Promise<PostgresStore> {
  await using undo = new AsyncDisposableStack()
  await checkSessions(url)
  const warnings = await migrate(url)
  let address = url
  const readAddress = async () => {
    address = await readUrl().catch(() => address)
    return address
  }
  const database = undo.use(new Database(url, readAddress))
  const clock = time === 'clock' ? machine : undo.use(await DatabaseClock.open(database, machine))
  const holder = randomUUID()
  const notifier = undo.use(new Notifier(readAddress, holder))
  if (mode === 'service') {
    if ((await database.get('select 1 from imports where not finished', {}, repeatable)) !== undefined)
      throw new Error('A migration into this database is not complete; run sepia migrate again.')
    await makePartitions(database, clock.now())
    undo.use(await Presence.open(database, { holder, clock }))
    await notifier.open()
  }
  const places = new QueuePlaces(database)
  const queue = new PostgresInferenceQueue(database, { clock, limits, places, notifier })
  const usage = new PostgresUsageLog(database, clock)
  const ledger = new PostgresBudgetLedger(database, { clock, holder, usage })
  const onLimits = () => ledger.forget()
  const owned = undo.move()
  return {
    database,
    notifier,
    warnings,
    onEndedElsewhere: (notify) => notifier.onEnded(notify),
    keepLargeWorkIn: (outputs) => queue.keepLargeWorkIn(outputs),
    clock,
    ...refuseAborted({
      queue,
      log: new PostgresInferenceLog(database, { clock, places }),
      accounts: new PostgresAccountStore(database, clock, { endWork: (accountId) => queue.endWaiting(accountId), onLimits }),
      tokens: new PostgresAccessTokenStore(database, clock, onLimits),
      usage,
      ledger,
      webhooks: new PostgresWebhookLog(database, clock, holder),
      documents: new PostgresDocumentStore(database, clock),
      counts: new PostgresSharedCounts(database, holder),
      requests: new PostgresRequestLog(database, clock),
      audit: new DatabaseAuditLog(database, clock),
      nodes: new PostgresNodeRegistry(database, clock),
    }),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}
