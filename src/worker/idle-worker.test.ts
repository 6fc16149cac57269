import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createWorkerBench, submitImage } from '../../test/support/worker-bench.ts'
import { startWorker } from './start-worker.ts'

test('a worker checks the queue once a second while idle, and more often for a minute after work or while slots are taken', async () => {
  const bench = createWorkerBench()
  let checks = 0
  const claim = bench.queue.claim.bind(bench.queue)
  bench.queue.claim = (...wanted) => {
    checks += 1
    return claim(...wanted)
  }
  let taken = ''
  const pool = { ...bench.pool, hasRoom: (model: string) => model !== taken && bench.pool.hasRoom(model) }
  await using _worker = startWorker({ ...bench, pool }, { workerId: 'w', concurrency: 8, leaseMs: 30_000, runLimitMs: 60_000 })
  const checksWithin = async (ms: number): Promise<number> => {
    const before = checks
    await bench.clock.advance(ms)
    return checks - before
  }
  await bench.clock.advance(2000)
  assert.equal(await checksWithin(10_000), 10)
  const completed = bench.nextEvent('completed')
  await submitImage(bench, 'a tiger')
  await completed
  await bench.clock.advance(2000)
  assert.equal(await checksWithin(10_000), 40)
  await bench.clock.advance(60_000)
  assert.equal(await checksWithin(10_000), 10)
  taken = 'fake-chat'
  await bench.clock.advance(2000)
  assert.equal(await checksWithin(10_000), 40)
})
