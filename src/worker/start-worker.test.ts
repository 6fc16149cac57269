import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sweep } from '../../test/conformance/claiming.ts'
import { readChunks } from '../../test/support/stored-output.ts'
import { makeSubmission } from '../../test/support/submission.ts'
import { makeTextRequest } from '../../test/support/text-request.ts'
import { createWorkerBench, readRecord, submitImage, type WorkerBench } from '../../test/support/worker-bench.ts'
import { ServiceError } from '../core/error.ts'
import { noLimits } from '../core/limits/use-limits.ts'
import { cancelInference } from '../operations/deferred/inferences.ts'
import { openOutput } from '../operations/deferred/outputs.ts'
import { startWorker } from './start-worker.ts'

const options = { signal: new AbortController().signal }
const settings = { workerId: 'w', concurrency: 8, leaseMs: 30_000, runLimitMs: 60_000 }

test('runs images and chats, stores their output and books them', async () => {
  const bench = createWorkerBench()
  await using _worker = startWorker(bench, settings)
  const image = await submitImage(bench, 'a tiger')
  await bench.nextEvent('completed')
  const chat = await bench.queue.enqueue(makeSubmission({ work: { kind: 'chat', request: makeTextRequest('[say hello there]') } }), options)
  await bench.nextEvent('completed')
  const parts = { log: bench.store.log, outputs: bench.outputs, clock: bench.clock }
  assert.equal(
    (await readChunks((await openOutput(parts, { id: image.id, accountId: 'a' }, options)).chunks)).toString('latin1', 1, 4),
    'PNG',
  )
  assert.equal(
    (await readChunks((await openOutput(parts, { id: chat.inference.id, accountId: 'a' }, options)).chunks)).toString(),
    'hello there',
  )
  await bench.clock.advance(0)
  const days = await bench.store.usage.summarize({ accountId: 'a', from: '2026-01-01', to: '2026-01-01' }, options)
  assert.deepEqual(
    days.map(({ model, requests, images, completionTokens }) => [model, requests, images, completionTokens]),
    [
      ['fake-chat', 1, 0, 2],
      ['fake-image', 1, 1, 0],
    ],
  )
})

test('leaves work for a model of another kind here to other nodes', async () => {
  const bench = createWorkerBench()
  await using _worker = startWorker({ ...bench, kindOf: () => 'image' }, settings)
  const { inference } = await bench.queue.enqueue(
    makeSubmission({ work: { kind: 'chat', request: { ...makeTextRequest('hello'), model: 'fake-image' } } }),
    options,
  )
  await submitImage(bench, 'a tiger')
  await bench.nextEvent('completed')
  assert.deepEqual(
    bench.reported.flatMap((event) => (event.type === 'claimed' ? [event.inference.kind] : [])),
    ['image'],
  )
  assert.equal((await readRecord(bench, inference)).status, 'pending')
})

test('claims no more than the models have room for', async () => {
  const bench = createWorkerBench({ slots: 2 })
  await using _worker = startWorker(bench, settings)
  for (let round = 0; round < 5; round++) await submitImage(bench, '[hang]')
  await bench.clock.advance(1000)
  assert.equal(bench.reported.filter(({ type }) => type === 'claimed').length, 2)
})

test('claims no more than the models have room for while it waits for the work itself', async () => {
  const bench = createWorkerBench({ slots: 2 })
  const claim = bench.queue.claim.bind(bench.queue)
  bench.queue.claim = async (wanted, waits) => (await claim(wanted, waits)).map((each) => ({ ...each, load: () => new Promise(() => {}) }))
  await using _worker = startWorker(bench, settings)
  for (let round = 0; round < 5; round++) await submitImage(bench, 'a tiger')
  await bench.clock.advance(1000)
  assert.equal(bench.reported.filter(({ type }) => type === 'claimed').length, 2)
})

test('work beyond the limit of running requests of its account starts as soon as another request of the account ends', async () => {
  const bench = createWorkerBench({ slots: 4, stepDelayMs: 100 })
  const account = { name: 'Ada', email: null, role: 'member', createdAt: 1, disabledAt: null } as const
  await bench.store.accounts.create({ ...account, id: 'a', limits: { ...noLimits, concurrentRequests: 1 } }, options)
  await using _worker = startWorker(bench, settings)
  const begunAt = bench.clock.now()
  const inferences = [await submitImage(bench, 'a tiger'), await submitImage(bench, 'a fox'), await submitImage(bench, 'a hare')]
  const isOver = async () => (await Promise.all(inferences.map((each) => readRecord(bench, each)))).every(({ outcome }) => outcome !== null)
  while (!(await isOver()) && bench.clock.now() - begunAt < 4000) await bench.clock.advance(50)
  assert.ok(await isOver(), 'three pictures of four steps of 100 ms, one after the other, within 4 s')
  assert.ok(bench.reported.some((event) => event.type === 'requeued' && event.reason === 'no-room'))
})

test('work for a model loaded on another node is left to it for two seconds', async () => {
  const bench = createWorkerBench()
  const pool = {
    ...bench.pool,
    hasRoom: () => true,
    states: () => bench.pool.states().map((state) => ({ ...state, state: 'unloaded' as const })),
  }
  let isLoadedElsewhere = true
  await using _worker = startWorker({ ...bench, pool, isLoadedElsewhere: () => isLoadedElsewhere }, settings)
  const claimed = () => bench.reported.filter(({ type }) => type === 'claimed').length
  await submitImage(bench, 'a tiger')
  await bench.clock.advance(1900)
  assert.equal(claimed(), 0)
  await bench.clock.advance(400)
  assert.equal(claimed(), 1)
  isLoadedElsewhere = false
  await submitImage(bench, 'a tiger')
  await bench.clock.advance(0)
  assert.equal(claimed(), 2)
})

test('invalid input fails at once and is not run again', async () => {
  const bench = createWorkerBench()
  await using _worker = startWorker(bench, settings)
  const inference = await submitImage(bench, '[fail validation_error]')
  await bench.nextEvent('completed')
  const found = await readRecord(bench, inference)
  assert.deepEqual([found.outcome, found.error?.code, found.attempt], ['failed', 'validation_error', 1])
})

test('temporarily unreadable work keeps waiting without using an attempt', async () => {
  const bench = createWorkerBench()
  const away = new ServiceError('server_is_overloaded', 'The store of outputs does not answer.', { retryAfterSeconds: 5 })
  let isAway = true
  const claim = bench.queue.claim.bind(bench.queue)
  bench.queue.claim = async (wanted, waits) =>
    (await claim(wanted, waits)).map((each) => ({
      ...each,
      load: async (load) => (isAway ? Promise.reject(away) : each.load(load)),
    }))
  await using _worker = startWorker(bench, settings)
  const inference = await submitImage(bench, 'a tiger')
  assert.equal((await bench.nextEvent('requeued')).reason, 'no-room')
  isAway = false
  const completed = bench.nextEvent('completed')
  await bench.clock.advance(6000)
  assert.equal((await completed).completion.outcome, 'succeeded')
  assert.equal((await readRecord(bench, inference)).outcome, 'succeeded')
})

test('a failure of the service itself is tried three times', async () => {
  const bench = createWorkerBench()
  await using _worker = startWorker(bench, settings)
  const inference = await submitImage(bench, '[fail internal_error]')
  const completed = bench.nextEvent('completed')
  await bench.clock.advance(10_000)
  await completed
  assert.deepEqual([(await readRecord(bench, inference)).error?.code, (await readRecord(bench, inference)).attempt], ['internal_error', 3])
})

test('a cancelled inference stops at its current step and frees its slot', async () => {
  const bench = createWorkerBench({ slots: 1 })
  await using _worker = startWorker(bench, settings)
  const claimed = bench.nextEvent('claimed')
  const inference = await submitImage(bench, '[hang]')
  await claimed
  const completed = bench.nextEvent('completed')
  assert.equal((await cancelInference(bench, { id: inference.id, accountId: 'a' }, options)).status, 'running')
  assert.equal((await completed).completion.outcome, 'cancelled')
  const next = bench.nextEvent('completed')
  await submitImage(bench, 'a tiger')
  await bench.clock.advance(250)
  assert.equal((await next).completion.outcome, 'succeeded')
})

test('a cancellation in another process is found at the next renewal', async () => {
  const bench = createWorkerBench()
  await using _worker = startWorker(bench, settings)
  const claimed = bench.nextEvent('claimed')
  const inference = await submitImage(bench, '[hang]')
  await claimed
  await bench.queue.cancel({ id: inference.id, accountId: 'a' }, options)
  const completed = bench.nextEvent('completed')
  await bench.clock.advance(settings.leaseMs / 3)
  assert.equal((await completed).completion.outcome, 'cancelled')
})

test('a run over its limit ends with inference_timeout', async () => {
  const bench = createWorkerBench()
  await using _worker = startWorker(bench, settings)
  const inference = await submitImage(bench, '[hang]')
  const completed = bench.nextEvent('completed')
  await bench.clock.advance(settings.runLimitMs)
  await completed
  assert.equal((await readRecord(bench, inference)).error?.code, 'inference_timeout')
})

test('the lease of a long run does not run out', async () => {
  const bench = createWorkerBench({ stepDelayMs: 14_000 })
  await using _worker = startWorker(bench, settings)
  const inference = await submitImage(bench, 'a slow picture')
  const completed = bench.nextEvent('completed')
  for (let round = 0; round < 56; round++) {
    await bench.clock.advance(1000)
    assert.equal((await sweep(bench.queue, { maxQueueMs: 1e9 })).requeued, 0)
  }
  await completed
  assert.equal((await readRecord(bench, inference)).attempt, 1)
})

test('a worker whose lease expired cannot complete its work, and the other attempt counts', async () => {
  const bench = createWorkerBench({ stepDelayMs: 10 })
  await using _worker = startWorker(bench, settings)
  const claimed = bench.nextEvent('claimed')
  const inference = await submitImage(bench, 'a tiger')
  await claimed
  bench.clock.jump(bench.clock.now() + settings.leaseMs)
  assert.equal((await sweep(bench.queue, { maxQueueMs: 1e9 })).requeued, 1)
  const fenced = bench.nextEvent('fenced')
  const completed = bench.nextEvent('completed')
  await bench.clock.advance(1000)
  await fenced
  await completed
  const found = await readRecord(bench, inference)
  assert.deepEqual([found.outcome, found.attempt], ['succeeded', 2])
})

test('draining returns running work to the queue at once without counting the attempt', async () => {
  const bench = createWorkerBench()
  const worker = startWorker(bench, settings)
  const claimed = bench.nextEvent('claimed')
  const inference = await submitImage(bench, '[hang]')
  await claimed
  await worker.drain()
  assert.deepEqual([(await readRecord(bench, inference)).status, bench.reported.at(-1)?.type], ['pending', 'requeued'])
  await submitImage(bench, 'a tiger')
  await bench.clock.advance(1000)
  assert.equal(bench.reported.filter(({ type }) => type === 'claimed').length, 1)
})

test('a finished result waits for storage that fails', async () => {
  const bench = createWorkerBench()
  let failures = 3
  const outputs: WorkerBench['outputs'] = {
    ...bench.outputs,
    put: async (...input) => {
      if (failures-- > 0) throw new Error('ENOSPC: no space left on device')
      return bench.outputs.put(...input)
    },
  }
  await using _worker = startWorker({ ...bench, outputs }, settings)
  const inference = await submitImage(bench, 'a tiger')
  const completed = bench.nextEvent('completed')
  await bench.clock.advance(3000)
  await completed
  assert.deepEqual([(await readRecord(bench, inference)).outcome, (await readRecord(bench, inference)).attempt], ['succeeded', 1])
  assert.equal(bench.reported.filter(({ type }) => type === 'fault').length, 3)
})

test('a process that was paused longer than its leases continues its own work without counting an attempt', async () => {
  const bench = createWorkerBench({ stepDelayMs: 10_000 })
  await using worker = startWorker(bench, settings)
  const claimed = bench.nextEvent('claimed')
  const inference = await submitImage(bench, 'a tiger')
  await claimed
  bench.clock.jump(bench.clock.now() + settings.leaseMs + 1000)
  assert.deepEqual(await sweep(bench.queue, { spared: worker.holds() }), { requeued: 0, failed: 0 })
  const completed = bench.nextEvent('completed')
  await bench.clock.advance(60_000)
  await completed
  assert.equal((await readRecord(bench, inference)).attempt, 1)
  assert.deepEqual(worker.holds(), [])
})

test('a cancellation during draining is not lost', async () => {
  const bench = createWorkerBench()
  const worker = startWorker(bench, settings)
  const claimed = bench.nextEvent('claimed')
  const inference = await submitImage(bench, '[hang]')
  await claimed
  await bench.queue.cancel({ id: inference.id, accountId: 'a' }, options)
  await worker.drain()
  assert.equal((await readRecord(bench, inference)).outcome, 'cancelled')
  assert.deepEqual(
    bench.reported.map(({ type }) => type),
    ['claimed', 'completed'],
  )
})

test('a cancellation in another process is noticed within a second', async () => {
  const bench = createWorkerBench()
  await using _worker = startWorker(bench, settings)
  const claimed = bench.nextEvent('claimed')
  const inference = await submitImage(bench, '[hang]')
  await claimed
  await bench.queue.cancel({ id: inference.id, accountId: 'a' }, options)
  const completed = bench.nextEvent('completed')
  await bench.clock.advance(1000)
  assert.equal((await completed).completion.outcome, 'cancelled')
})

test('all leases of a worker are renewed in one write', async () => {
  const bench = createWorkerBench({ slots: 5 })
  const renewals: number[] = []
  const renew = bench.queue.renew.bind(bench.queue)
  bench.queue.renew = (holds, renewal) => {
    renewals.push(holds.length)
    return renew(holds, renewal)
  }
  await using _worker = startWorker(bench, settings)
  for (let round = 0; round < 5; round++) await submitImage(bench, '[hang]')
  await bench.clock.advance(3000)
  assert.deepEqual(renewals.slice(-2), [5, 5])
})

test('permanently failing storage costs an attempt and then the inference, but no slot of the worker', async () => {
  const bench = createWorkerBench()
  const outputs: WorkerBench['outputs'] = { ...bench.outputs, put: () => Promise.reject(new Error('EFBIG: file too large')) }
  await using worker = startWorker({ ...bench, outputs }, settings)
  const inference = await submitImage(bench, 'a tiger')
  const completed = bench.nextEvent('completed')
  await bench.clock.advance(5 * 60_000)
  await completed
  assert.deepEqual([(await readRecord(bench, inference)).error?.code, (await readRecord(bench, inference)).attempt], ['internal_error', 3])
  assert.deepEqual(worker.holds(), [])
})

test('a disk that stays full costs no attempt', async () => {
  const bench = createWorkerBench()
  const full = new ServiceError('server_is_overloaded', 'The disk of the service is full; try again later.', { retryAfterSeconds: 30 })
  let working = false
  const outputs: WorkerBench['outputs'] = {
    ...bench.outputs,
    put: (...input) => (working ? bench.outputs.put(...input) : Promise.reject(full)),
  }
  await using _worker = startWorker({ ...bench, outputs }, settings)
  const inference = await submitImage(bench, 'a tiger')
  await bench.clock.advance(20 * 60_000)
  working = true
  const completed = bench.nextEvent('completed')
  await bench.clock.advance(2 * 60_000)
  await completed
  assert.equal((await readRecord(bench, inference)).outcome, 'succeeded')
})

test('neighbours that were claimed together with a suspect wait until it has ended', async () => {
  const bench = createWorkerBench({ slots: 4, stepDelayMs: 1000 })
  const poison = await submitImage(bench, '[fail inference_failed after 2]')
  {
    await using _worker = startWorker(bench, settings)
    const lost = bench.nextEvent('requeued')
    await bench.clock.advance(3000)
    await lost
  }
  await bench.clock.advance(60_000)
  const neighbours = [await submitImage(bench, 'one'), await submitImage(bench, 'two')]
  await using _worker = startWorker(bench, settings)
  await bench.clock.advance(1500)
  assert.deepEqual(
    [poison, ...neighbours].map(({ id }) => bench.events.progressOf(id)?.step),
    [1, undefined, undefined],
  )
  await bench.clock.advance(30_000)
  assert.equal((await readRecord(bench, poison)).error?.code, 'inference_failed')
  for (const neighbour of neighbours) {
    const found = await readRecord(bench, neighbour)
    assert.deepEqual([found.outcome, found.attempt], ['succeeded', 1])
  }
})
