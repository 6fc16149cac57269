import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeSubmission } from '../../test/support/submission.ts'
import { makeTextRequest } from '../../test/support/text-request.ts'
import { createWorkerBench } from '../../test/support/worker-bench.ts'
import { type ErrorCode, ServiceError } from '../core/error.ts'
import { startWorker } from './start-worker.ts'
import type { WorkerDependencies } from './worker-dependencies.ts'

const options = { signal: new AbortController().signal }
const settings = { workerId: 'w', concurrency: 8, leaseMs: 30_000, runLimitMs: 60_000 }

test('an answer of a conversation is kept however it ends, before its success is visible, and is not retried', async () => {
  const bench = createWorkerBench()
  const kept: unknown[] = []
  const endAnswer = async (...[answer, { outcome, written }]: Parameters<WorkerDependencies['endAnswer']>) => {
    const [part] = written?.parts ?? []
    const inference = await bench.store.log.find(answer.inference.id, 'a', options)
    kept.push([outcome, part?.type === 'text' ? part.text : null, inference?.status, answer.place])
  }
  await using _worker = startWorker({ ...bench, endAnswer }, settings)
  const place = { conversation: 'c', turn: 't', parent: null }
  for (const said of ['[say hello there]', '[say hello there] [fail inference_failed after 1]']) {
    await bench.queue.enqueue(makeSubmission({ work: { kind: 'chat', request: makeTextRequest(said), place } }), options)
    await bench.nextEvent('completed')
  }
  assert.deepEqual(kept, [
    ['succeeded', 'hello there', 'running', place],
    ['failed', 'hello', 'completed', place],
  ])
})

test('a failure of a lost attempt is not kept in the conversation', async () => {
  const bench = createWorkerBench()
  bench.queue.complete = async () => 'lost'
  const kept: unknown[] = []
  const endAnswer = async (...[, { outcome }]: Parameters<WorkerDependencies['endAnswer']>) => void kept.push(outcome)
  await using _worker = startWorker({ ...bench, endAnswer }, settings)
  const fenced = bench.nextEvent('fenced')
  const place = { conversation: 'c', turn: 't', parent: null }
  const request = makeTextRequest('[fail inference_failed after 1]')
  await bench.queue.enqueue(makeSubmission({ work: { kind: 'chat', request, place } }), options)
  await fenced
  assert.deepEqual(kept, [])
})

for (const said of ['[say hello there]', '[say hello there] [fail inference_failed after 1]']) {
  test(`an answer is kept in its conversation when the database was away at its end: ${said}`, async () => {
    const bench = createWorkerBench()
    const tries: string[] = []
    const endAnswer = async (...[, { outcome }]: Parameters<WorkerDependencies['endAnswer']>) => {
      tries.push(outcome)
      if (tries.length < 3) throw new ServiceError('server_is_overloaded', 'The database did not respond in time; try again.')
    }
    await using _worker = startWorker({ ...bench, endAnswer }, settings)
    const completed = bench.nextEvent('completed')
    const place = { conversation: 'c', turn: 't', parent: null }
    await bench.queue.enqueue(makeSubmission({ work: { kind: 'chat', request: makeTextRequest(said), place } }), options)
    await bench.clock.advance(5000)
    await completed
    assert.equal(tries.length, 3)
  })
}

for (const code of ['quota_exceeded', 'not_found', 'internal_error'] as const satisfies readonly ErrorCode[]) {
  test(`a request does not wait for a conversation that cannot take its answer: ${code}`, async () => {
    const bench = createWorkerBench()
    let tries = 0
    const endAnswer = async () => {
      tries++
      throw new ServiceError(code, 'No.')
    }
    await using _worker = startWorker({ ...bench, endAnswer }, settings)
    const place = { conversation: 'c', turn: 't', parent: null }
    await bench.queue.enqueue(makeSubmission({ work: { kind: 'chat', request: makeTextRequest('[say hello]'), place } }), options)
    await bench.nextEvent('completed')
    assert.equal(tries, 1)
  })
}
