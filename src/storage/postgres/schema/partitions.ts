import { firstIdAt } from '../../../core/deferred/inference-id.ts'
import { recordRetentionMs } from '../../../core/inference.ts'
import { dayMs } from '../../../core/ports/clock.ts'
import { readText } from '../../rows/row.ts'
import { repeatable } from '../../tables/statements.ts'
import type { Database } from '../database.ts'

/** Days for which partitions are created in advance, enough for nodes that are off over a long weekend. */
const daysAhead = 4
/** Lets one node create and drop partitions at a time. */
const partitionLock = 7_335_742_004

/** Queries the catalog: `to_regclass` caches the absence of a table that another node has created meanwhile. */
const tableSql = 'select 1 from pg_class where relname = :name and relnamespace = quote_ident(current_schema())::regnamespace'

/** Creates the partitions of today and the next days; earlier rows of such a day move into its partition. */
export async function makePartitions(database: Database, now: number): Promise<void> {
  const today = Math.floor(now / dayMs)
  for (let day = today - 1; day < today + daysAhead; day++) await makePartition(database, day)
}

async function makePartition(database: Database, day: number): Promise<void> {
  const name = partitionOf(day)
  if ((await database.get(tableSql, { name }, repeatable)) !== undefined) return
  await database.transaction(async (statements) => {
    await statements.run('select pg_advisory_xact_lock(:partitionLock)', { partitionLock })
    if ((await statements.get(tableSql, { name })) !== undefined) return
    const [from, to] = [firstIdAt(day * dayMs), firstIdAt((day + 1) * dayMs)]
    await statements.run(`create table ${name} (like inferences including defaults including constraints) with (fillfactor = 70)`)
    await statements.run('lock table inferences_other in access exclusive mode')
    await statements.run(
      `with moved as (delete from inferences_other where id >= '${from}' and id < '${to}' returning *) insert into ${name} select * from moved`,
    )
    await statements.run(`alter table inferences attach partition ${name} for values from ('${from}') to ('${to}')`)
  })
}

/** Drops partitions whose records are all past their retention; returns how many. */
export async function dropPartitions(database: Database, now: number): Promise<number> {
  const rows = await database.all(
    `select child.relname as name from pg_inherits join pg_class as child on child.oid = inhrelid
     where inhparent = 'inferences'::regclass and child.relname like 'inferences\\_d%' order by child.relname`,
    {},
    repeatable,
  )
  const old = rows
    .map((row) => readText(row, 'name'))
    .filter((name) => name < partitionOf(Math.floor((now - recordRetentionMs) / dayMs) - 1))
  let dropped = 0
  for (const name of old) if (await dropPartition(database, name, now - recordRetentionMs)) dropped++
  return dropped
}

async function dropPartition(database: Database, name: string, endedBefore: number): Promise<boolean> {
  const living = `select 1 from ${name} where expires_at is null or expires_at > :endedBefore limit 1`
  if ((await database.get(living, { endedBefore }, repeatable)) !== undefined) return false
  return database.transaction(async (statements) => {
    await statements.run(`set local lock_timeout = '1s'`)
    await statements.run(`lock table ${name} in access exclusive mode`)
    if ((await statements.get(living, { endedBefore })) !== undefined) return false
    await statements.run(`drop table ${name}`)
    return true
  })
}

function partitionOf(day: number): string {
  return `inferences_d${new Date(day * dayMs).toISOString().slice(0, 10).replaceAll('-', '')}`
}
