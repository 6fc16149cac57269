/**
 * How many durable submissions a second does the embedded queue take with 32 in flight?
 *
 * The rival is the same store with one commit per submission. Both run in turns on the same disk.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSystemClock } from '../../src/composition/system-clock.ts'
import { openSqliteStore, type SqliteStoreSettings } from '../../src/storage/sqlite/open-sqlite-store.ts'
import { makeSubmission } from '../../test/support/submission.ts'
import { describeMachine, describeRate, measureRate, type Rate } from '../measure.ts'

const rounds = 3
const inFlight = 32
const options = { signal: new AbortController().signal }

async function measure(mode: SqliteStoreSettings['mode'], total: number): Promise<Rate> {
  const folder = await mkdtemp(join(tmpdir(), 'sepia-bench-'))
  try {
    await using store = await openSqliteStore({
      file: join(folder, 'sepia.db'),
      clock: createSystemClock(),
      limits: { maxPending: 1e9 },
      mode,
    })
    const submit = (index: number) => store.queue.enqueue(makeSubmission({ accountId: `account-${index % 10}` }), options)
    await measureRate(500, inFlight, submit)
    return await measureRate(total, inFlight, submit)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

console.log(describeMachine())
for (let round = 1; round <= rounds; round++) {
  const grouped = await measure('service', 20_000)
  const single = await measure('tool', 2_000)
  console.log(`round ${round}: group commit  ${describeRate(grouped)}`)
  console.log(`round ${round}: single commit ${describeRate(single)}`)
  console.log(`round ${round}: ratio ${(grouped.perSecond / single.perSecond).toFixed(1)}`)
}
