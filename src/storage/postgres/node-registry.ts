import { randomUUID } from 'node:crypto'
import { type ClusterNode, deadAfterMs, type NodeOffer, type NodeReport } from '../../core/cluster/node.ts'
import type { Clock } from '../../core/ports/clock.ts'
import type { NodeRegistry } from '../../core/ports/node-registry.ts'
import { readInteger, readText, readTextOrNull } from '../rows/row.ts'
import { repeatable, Tables } from '../tables/statements.ts'
import type { Database } from './database.ts'
import { dropPartitions, makePartitions } from './schema/partitions.ts'

/** Retention of the row of a silent node. */
const keptMs = 60 * 60 * 1000
/** A slower report is less useful than the next one. */
const reportLimitMs = 2000

/** The nodes on one database, as reported by themselves. */
export class PostgresNodeRegistry extends Tables<Database> implements NodeRegistry {
  async cluster(): Promise<string> {
    const sql = 'insert into cluster (id) values (:id) on conflict (single) do nothing'
    await this.database.run(sql, { id: randomUUID() }, repeatable)
    return readText((await this.database.get('select id from cluster', {}, repeatable)) ?? {}, 'id')
  }

  async bucket(found: string | null): Promise<string | null> {
    await this.cluster()
    if (found !== null) await this.database.run('update cluster set bucket = :found where bucket is null', { found }, repeatable)
    return readTextOrNull((await this.database.get('select bucket from cluster', {}, repeatable)) ?? {}, 'bucket')
  }

  async report(report: NodeReport): Promise<readonly ClusterNode[]> {
    const now = this.clock.now()
    const rows = await this.database.all(
      `with mine as (
         insert into nodes (id, seen_at, report) values (:id, :now, :report)
         on conflict (id) do update set seen_at = excluded.seen_at, report = excluded.report
         returning seen_at, report, offer is not null as has_offer),
       gone as (delete from nodes where seen_at < :forgotten and id <> :id)
       select * from mine
       union all select seen_at, report, offer is not null from nodes where id <> :id and report is not null and seen_at > :silent`,
      { id: report.id, now, report: JSON.stringify(report), forgotten: now - keptMs, silent: now - deadAfterMs },
      { repeatable: true, limitMs: reportLimitMs },
    )
    return rows
      .map((row) => ({
        ...(JSON.parse(readText(row, 'report')) as NodeReport),
        seenAt: readInteger(row, 'seen_at'),
        hasOffer: row.has_offer === true,
      }))
      .sort((a, b) => (a.id < b.id ? -1 : 1))
  }

  async offer(nodeId: string, offer: NodeOffer): Promise<void> {
    const sql = `insert into nodes (id, seen_at, offer) values (:nodeId, :now, :offer) on conflict (id) do update set offer = excluded.offer`
    await this.database.run(sql, { nodeId, now: this.clock.now(), offer: JSON.stringify(offer) }, repeatable)
  }

  async findOffer(nodeId: string): Promise<NodeOffer | null> {
    const sql = 'select offer from nodes where id = :nodeId and offer is not null'
    const row = await this.database.get(sql, { nodeId }, repeatable)
    return row === undefined ? null : (JSON.parse(readText(row, 'offer')) as NodeOffer)
  }

  async leave(nodeId: string): Promise<void> {
    await this.database.run('delete from nodes where id = :nodeId', { nodeId }, repeatable)
  }
}

const everyMs = 15_000
/** Rounds between checks of the partitions: ten minutes. */
const partitionRounds = 40

/** Repeatedly records that this process is alive, which keeps its reservations, and creates partitions in advance. */
export class Presence implements AsyncDisposable {
  readonly #database: Database
  readonly #holder: string
  readonly #clock: Clock
  readonly #timer: NodeJS.Timeout
  #round = 0
  #underWay = Promise.resolve()

  static async open(database: Database, { holder, clock }: { readonly holder: string; readonly clock: Clock }): Promise<Presence> {
    await show(database, holder)
    return new Presence(database, holder, clock)
  }

  private constructor(database: Database, holder: string, clock: Clock) {
    this.#database = database
    this.#holder = holder
    this.#clock = clock
    this.#timer = setInterval(() => {
      this.#underWay = this.#underWay.then(() => this.#tick())
    }, everyMs)
    this.#timer.unref()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer)
    await this.#underWay
    await this.#database.run('delete from holders where id = :holder', { holder: this.#holder }, { limitMs: 1000 }).catch(() => {})
  }

  async #tick(): Promise<void> {
    this.#round = (this.#round + 1) % partitionRounds
    try {
      await show(this.#database, this.#holder)
      if (this.#round !== 0) return
      await makePartitions(this.#database, this.#clock.now())
      await dropPartitions(this.#database, this.#clock.now())
    } catch {
      // The next round tries again; requests that need the database get their own errors.
    }
  }
}

/** Condition for a process that was alive recently; reservations and places of others no longer count. */
export function aliveHolder(column: string): string {
  return `exists (select 1 from holders where id = ${column} and seen_at > clock_timestamp() - interval '60 seconds')`
}

async function show(database: Database, holder: string): Promise<void> {
  const sql = `insert into holders (id, seen_at) values (:holder, clock_timestamp()) on conflict (id) do update set seen_at = excluded.seen_at`
  await database.run(sql, { holder }, repeatable)
}
