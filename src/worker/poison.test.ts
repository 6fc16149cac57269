import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createWorkerBench, readRecord, submitImage } from '../../test/support/worker-bench.ts'
import { startWorker } from './start-worker.ts'

const settings = { workerId: 'w', concurrency: 8, leaseMs: 30_000, runLimitMs: 60_000 }

test('work that kills its engine twice fails, the second time without other work on the model', async () => {
  const bench = createWorkerBench({ slots: 2, stepDelayMs: 10 })
  await using _worker = startWorker(bench, settings)
  const poison = await submitImage(bench, '[fail inference_failed after 2]')
  const lost = bench.nextEvent('requeued')
  await bench.clock.advance(30)
  assert.equal((await lost).reason, 'lost')
  const neighbour = await submitImage(bench, 'a long run')
  const completed = bench.nextEvent('completed')
  await bench.clock.advance(5000)
  await completed
  assert.deepEqual([(await readRecord(bench, poison)).error?.code, (await readRecord(bench, poison)).attempt], ['inference_failed', 2])
  assert.equal((await readRecord(bench, neighbour)).outcome, 'succeeded')
})

test('one poisonous request among a hundred costs the others less than a tenth of their throughput', async () => {
  const runAll = async (poison: boolean): Promise<number> => {
    const bench = createWorkerBench({ slots: 2, stepDelayMs: 10 })
    await using _worker = startWorker(bench, settings)
    if (poison) await submitImage(bench, '[fail inference_failed after 2]')
    for (let index = 0; index < 100; index++) await submitImage(bench, `picture ${index}`)
    const startedAt = bench.clock.now()
    const succeeded = () => bench.reported.filter((event) => event.type === 'completed' && event.completion.outcome === 'succeeded').length
    while (succeeded() < 100) await bench.clock.advance(10)
    return bench.clock.now() - startedAt
  }
  const [without, withPoison] = [await runAll(false), await runAll(true)]
  assert.ok(without / withPoison >= 0.9, `${without} ms without, ${withPoison} ms with`)
})
