/**
 * How much more deferred work do 2 and 4 workers do than one?
 *
 * Each worker has a fake image model of its own with one slot that sleeps for 50 ms; queue, outputs and usage are the real ones on disk. With `-- postgres`
 * each has a store of its own on one PostgreSQL, as workers of a cluster have.
 * The rival is the ideal: as many times the work of one as there are workers.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSystemClock } from '../../src/composition/system-clock.ts'
import type { Store } from '../../src/core/ports/store.ts'
import { encodeOutput } from '../../src/http/wire/deferred/encode-output.ts'
import { WorkUnderWay } from '../../src/operations/access/work-under-way.ts'
import { InferenceEvents } from '../../src/operations/deferred/inference-events.ts'
import { createFakeImageModel } from '../../src/runtimes/fake/fake-image-model.ts'
import { createFixedModelPool } from '../../src/runtimes/fake/fixed-model-pool.ts'
import { openFilesystemOutputs } from '../../src/storage/filesystem/open-filesystem-outputs.ts'
import { openPostgresStore } from '../../src/storage/postgres/open-postgres-store.ts'
import { openSqliteStore } from '../../src/storage/sqlite/open-sqlite-store.ts'
import { startWorker } from '../../src/worker/start-worker.ts'
import { unobservedWork } from '../../test/support/memory/unobserved.ts'
import { makeSubmission } from '../../test/support/submission.ts'
import { describeMachine, measureRate } from '../measure.ts'
import { createDatabase, startBenchServer } from '../postgres/bench-server.ts'

let databases = 0
const server = process.argv[2] === 'postgres' ? await startBenchServer() : null
if (server === null) console.log(describeMachine())
const rounds = Number(process.argv[3] ?? 3)
const sleepMs = 50
const perWorker = 100
const clock = createSystemClock()
const options = { signal: new AbortController().signal }

/** Inferences completed per second. */
async function measure(workers: number): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'sepia-bench-'))
  try {
    await using parts = new AsyncDisposableStack()
    const outputs = await openFilesystemOutputs({ folder: join(folder, 'outputs'), clock })
    const total = workers * perWorker
    const stores = await openStores(folder, workers)
    for (const each of new Set(stores)) parts.use(each)
    const [store] = stores
    if (store === undefined) throw new Error('There is no store.')
    await measureRate(total, 32, (index) => store.queue.enqueue(makeSubmission({ accountId: `account-${index % 10}` }), options))

    let left = total
    const done = Promise.withResolvers<void>()
    const startedAt = performance.now()
    for (const [worker, own] of stores.entries()) {
      const image = createFakeImageModel({ clock, stepDelayMs: sleepMs / 4 })
      parts.use(
        startWorker(
          {
            ...unobservedWork,
            underWay: new WorkUnderWay(),
            ...own,
            outputs,
            pool: createFixedModelPool({ image: { 'fake-image': image } }, { slots: 1 }),
            events: new InferenceEvents(clock),
            clock,
            encodeOutput: (work, result) => encodeOutput({ clock }, work, result),
            onEvent: (event) => {
              if (event.type === 'completed' && --left === 0) done.resolve()
            },
          },
          { workerId: `worker-${worker}`, concurrency: 1, leaseMs: 30_000, runLimitMs: 60_000 },
        ),
      )
    }
    await done.promise
    return (total * 1000) / (performance.now() - startedAt)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** The store of each worker: of SQLite one for all, of PostgreSQL one each. */
async function openStores(folder: string, workers: number): Promise<readonly Store[]> {
  const settings = { clock, limits: { maxPending: 1e6 }, mode: 'service' } as const
  if (server === null) return new Array<Store>(workers).fill(await openSqliteStore({ ...settings, file: join(folder, 'sepia.db') }))
  const url = await createDatabase(server, `workers_${databases++}`)
  return Promise.all(Array.from({ length: workers }, () => openPostgresStore({ ...settings, url })))
}

for (let round = 1; round <= rounds; round++) {
  const one = await measure(1)
  const two = await measure(2)
  const four = await measure(4)
  const line = (workers: number, rate: number) => `${workers}: ${rate.toFixed(1)}/s (×${(rate / one).toFixed(2)})`
  console.log(`round ${round}: workers ${line(1, one)}, ${line(2, two)}, ${line(4, four)}`)
}
await server?.[Symbol.asyncDispose]()
