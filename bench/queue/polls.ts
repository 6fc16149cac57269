/**
 * How many polls a second does the embedded queue answer with 100 000 records stored, half of them pending in one account?
 *
 * The rival is the bare node:sqlite statement on the same file, which does not convert rows to records.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSystemClock } from '../../src/composition/system-clock.ts'
import type { InferenceLog } from '../../src/core/ports/inference-log.ts'
import { Connection } from '../../src/storage/sqlite/connection.ts'
import { openSqliteStore } from '../../src/storage/sqlite/open-sqlite-store.ts'
import { makeSubmission } from '../../test/support/submission.ts'
import { describeMachine, describeRate, measureRate } from '../measure.ts'

const records = 100_000
const polls = 100_000
const inFlight = 32
const rounds = 3
const options = { signal: new AbortController().signal }

/** The account that has half of the records pending. */
const waiting = 'account-0'
const accountOf = (index: number) => (index % 2 === 0 ? waiting : `account-${index % 100}`)

const folder = await mkdtemp(join(tmpdir(), 'sepia-bench-'))
try {
  const file = join(folder, 'sepia.db')
  await using store = await openSqliteStore({ file, clock: createSystemClock(), limits: { maxPending: 1e9 }, mode: 'service' })
  const ids: string[] = []
  const fill = async (index: number) => {
    const accountId = accountOf(index)
    const { inference } = await store.queue.enqueue(makeSubmission({ accountId }), options)
    ids[index] = inference.id
    if (accountId !== waiting) await store.queue.cancel({ id: inference.id, accountId }, options)
  }
  await measureRate(records, 512, fill)
  using bare = new Connection(file, { readOnly: true })
  const read = (index: number) => bare.get('select * from inferences where id = :id', { id: ids[(index * 7919) % records] ?? '' })
  console.log(describeMachine())
  for (let round = 1; round <= rounds; round++) {
    const ours = await measureRate(polls, inFlight, (index) => poll(store.log, index))
    const rival = await measureRate(polls, inFlight, async (index) => read(index))
    console.log(`round ${round}: find           ${describeRate(ours)}`)
    console.log(`round ${round}: bare statement ${describeRate(rival)}`)
    console.log(`round ${round}: ratio ${(ours.perSecond / rival.perSecond).toFixed(2)}`)
  }

  async function poll(log: InferenceLog, index: number): Promise<void> {
    const record = (index * 7919) % records
    const found = await log.find(ids[record] ?? '', accountOf(record), options)
    if (found === null) throw new Error('A stored record was not found.')
  }
} finally {
  await rm(folder, { recursive: true, force: true })
}
