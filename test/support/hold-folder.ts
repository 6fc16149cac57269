/** Run as a process of its own: opens the store of a folder as a service, claims what is pending, and waits to be killed. */
import { createSystemClock } from '../../src/composition/system-clock.ts'
import { openSqliteStore } from '../../src/storage/sqlite/open-sqlite-store.ts'

const [file = ''] = process.argv.slice(2)
const options = { signal: new AbortController().signal }
const store = await openSqliteStore({ file, clock: createSystemClock(), limits: { maxPending: 1000 }, mode: 'service' })
const [claim] = await store.queue.claim(
  { workerId: 'doomed', rooms: [{ model: 'fake-image', room: 1 }], limit: 1, leaseMs: 3_600_000 },
  options,
)
process.send?.({ claimed: claim?.inference.id ?? null })
setInterval(() => {}, 60_000)
