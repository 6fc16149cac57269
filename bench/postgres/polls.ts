/**
 * How many polls a second does the queue on PostgreSQL answer, with nine partitions of 100 000 records, half of them pending in one account?
 *
 * Polls arrive 32 at a time, and 256 at a time, at one process. The rival is the bare prepared statement over the same number of `pg` connections.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { Pool } from 'pg'
import type { Clock } from '../../src/core/ports/clock.ts'
import { openPostgresStore, type PostgresStore } from '../../src/storage/postgres/open-postgres-store.ts'
import { makeSubmission } from '../../test/support/submission.ts'
import { describeRate, measureRate } from '../measure.ts'
import { createDatabase, startBenchServer } from './bench-server.ts'

const records = 100_000
const days = 9
const dayMs = 24 * 60 * 60 * 1000
const rounds = 3
const options = { signal: new AbortController().signal }
/** The account that has half of the records, pending. */
const waiting = 'account-0'
const accountOf = (index: number) => (index % 2 === 0 ? waiting : `account-${index % 100}`)

await using server = await startBenchServer()
const url = await createDatabase(server, 'polls')
const ids: string[] = []
for (let day = 0; day < days; day++) await fill(day)
await using store = await open(0)
await store.database.run('analyze')
const bare = new Pool({ connectionString: url, max: 2 })
const [filled] = await store.database.all('select count(distinct tableoid)::integer as partitions from inferences')
console.log(`${records} records in ${filled?.partitions} partitions, ${records / 2} pending in one account`)

for (const inFlight of [32, 256])
  for (let round = 0; round <= rounds; round++) {
    const total = round === 0 ? 5000 : 40_000
    const ours = await measureRate(total, inFlight, find)
    const rival = await measureRate(total / 4, inFlight, read)
    if (round === 0) continue
    console.log(`round ${round}: ${inFlight} at a time: find           ${describeRate(ours)}`)
    console.log(
      `round ${round}: ${inFlight} at a time: bare statement ${describeRate(rival)}, ratio ${(ours.perSecond / rival.perSecond).toFixed(2)}`,
    )
  }

await bare.end()

/** A store in whose time it is so many days ago. */
function open(daysAgo: number): Promise<PostgresStore> {
  const clock: Clock = {
    now: () => Date.now() - daysAgo * dayMs,
    steadyNow: () => performance.now(),
    wait: (ms, { signal }) => pause(ms, undefined, { signal }),
  }
  return openPostgresStore({ url, clock, limits: { maxPending: 1e9 }, mode: 'service', time: 'clock' })
}

async function fill(day: number): Promise<void> {
  // Records of eight days ago would be past their retention.
  await using past = await open(days - 2 - day)
  const each = Math.ceil(records / days)
  await measureRate(Math.min(each, records - ids.length), 512, async (offset) => {
    const index = day * each + offset
    const accountId = accountOf(index)
    const { inference } = await past.queue.enqueue(makeSubmission({ accountId }), options)
    ids[index] = inference.id
    if (accountId !== waiting) await past.queue.cancel({ id: inference.id, accountId }, options)
  })
}

async function find(index: number): Promise<void> {
  const record = (index * 7919) % records
  if ((await store.log.find(ids[record] ?? '', accountOf(record), options)) === null) throw new Error('A stored record was not found.')
}

async function read(index: number): Promise<void> {
  const record = (index * 7919) % records
  const text = `select * from inferences as record left join queue as entry on entry.id = record.id where record.id = $1 and record.account_id = $2`
  const { rows } = await bare.query({ name: 'read', text, values: [ids[record], accountOf(record)] })
  if (rows.length !== 1) throw new Error('A stored record was not found.')
}
