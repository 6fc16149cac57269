/**
 * How much more deferred work do 2 and 4 workers do than one?
 *
 * Each worker has a fake image model of its own with one slot that sleeps for 50 ms; queue, outputs and usage are the real ones on disk.
 * The rival is the ideal: as many times the work of one as there are workers.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createSystemClock } from '../../src/composition/system-clock.ts'
import { encodeOutput } from '../../src/http/wire/deferred/encode-output.ts'
import { InferenceEvents } from '../../src/operations/deferred/inference-events.ts'
import { createFakeImageModel } from '../../src/runtimes/fake/fake-image-model.ts'
import { createFixedModelPool } from '../../src/runtimes/fake/fixed-model-pool.ts'
import { openFilesystemOutputs } from '../../src/storage/filesystem/open-filesystem-outputs.ts'
import { openSqliteStore } from '../../src/storage/sqlite/open-sqlite-store.ts'
import { startWorker } from '../../src/worker/start-worker.ts'
import { makeSubmission } from '../../test/support/submission.ts'
import { describeMachine, measureRate } from '../measure.ts'

const rounds = 3
const sleepMs = 50
const perWorker = 100
const clock = createSystemClock()
const options = { signal: new AbortController().signal }

/** Inferences completed per second. */
async function measure(workers: number): Promise<number> {
  const folder = await mkdtemp(join(process.cwd(), '.bench-'))
  try {
    await using parts = new AsyncDisposableStack()
    const store = parts.use(await openSqliteStore({ file: join(folder, 'sepia.db'), clock, limits: { maxPending: 1e6 }, mode: 'service' }))
    const outputs = await openFilesystemOutputs({ folder: join(folder, 'outputs'), clock })
    const total = workers * perWorker
    await measureRate(total, 32, (index) => store.queue.enqueue(makeSubmission({ accountId: `account-${index % 10}` }), options))

    let left = total
    const done = Promise.withResolvers<void>()
    const startedAt = performance.now()
    for (let worker = 0; worker < workers; worker++) {
      const image = createFakeImageModel({ clock, stepDelayMs: sleepMs / 4 })
      parts.use(
        startWorker(
          {
            ...store,
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

console.log(describeMachine())
for (let round = 1; round <= rounds; round++) {
  const one = await measure(1)
  const two = await measure(2)
  const four = await measure(4)
  const line = (workers: number, rate: number) => `${workers}: ${rate.toFixed(1)}/s (×${(rate / one).toFixed(2)})`
  console.log(`round ${round}: workers ${line(1, one)}, ${line(2, two)}, ${line(4, four)}`)
}
