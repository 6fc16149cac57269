import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readChunks } from '../../test/support/stored-output.ts'
import { makeSubmission } from '../../test/support/submission.ts'
import { makeTextRequest } from '../../test/support/text-request.ts'
import { createWorkerBench, readRecord, type WorkerBench } from '../../test/support/worker-bench.ts'
import type { Inference } from '../core/inference.ts'
import type { OutputStore } from '../core/ports/output-store.ts'
import { startWorker } from './start-worker.ts'

const options = { signal: new AbortController().signal }
const settings = { workerId: 'w', concurrency: 8, leaseMs: 30_000, runLimitMs: 60_000 }

/** Submits a prompt and passes the delays of its attempts; returns its record at the end. */
async function fail(bench: WorkerBench, said: string): Promise<Inference> {
  let isOver = false
  const completed = bench.nextEvent('completed').then(() => {
    isOver = true
  })
  const work = { kind: 'chat', request: makeTextRequest(said) } as const
  const { inference } = await bench.queue.enqueue(makeSubmission({ work }), options)
  while (!isOver) await bench.clock.advance(1000)
  await completed
  return readRecord(bench, inference)
}

/** What the bench has stored for a record. */
async function textOf(bench: WorkerBench, { output }: Inference): Promise<string | null> {
  return output === null ? null : (await readChunks(await bench.outputs.open(output, options))).toString()
}

/** Notes the keys of outputs that are stored and deleted. */
function watched(outputs: OutputStore): OutputStore & { readonly kept: Set<string> } {
  const kept = new Set<string>()
  return {
    kept,
    open: (...given) => outputs.open(...given),
    readPart: (...given) => outputs.readPart(...given),
    listOld: (...given) => outputs.listOld(...given),
    async put(...given) {
      const reference = await outputs.put(...given)
      kept.add(reference.key)
      return reference
    },
    async delete(keys, given) {
      for (const key of keys) kept.delete(key)
      await outputs.delete(keys, given)
    },
  }
}

for (const [code, attempts] of [
  ['inference_timeout', 1],
  ['inference_failed', 2],
  ['internal_error', 3],
] as const)
  test(`a text that fails with ${code} after ${attempts} attempts keeps what the last one wrote, once`, async () => {
    const bench = createWorkerBench()
    const outputs = watched(bench.outputs)
    await using _worker = startWorker({ ...bench, outputs }, settings)
    const ended = await fail(bench, `[say one two three] [fail ${code} after 2]`)
    assert.deepEqual([ended.outcome, ended.error?.code, ended.attempt], ['failed', code, attempts])
    assert.equal(await textOf(bench, ended), 'one two')
    assert.deepEqual([...outputs.kept], [ended.output?.key])
  })

test('a failure before the first text keeps nothing', async () => {
  const bench = createWorkerBench()
  await using _worker = startWorker(bench, settings)
  const { outcome, output } = await fail(bench, '[say one two three] [fail inference_timeout]')
  assert.deepEqual([outcome, output], ['failed', null])
})

test('a text of more than a megabyte is not kept, and one that cannot be stored does not delay the failure', async () => {
  const bench = createWorkerBench()
  const refused = { ...watched(bench.outputs), put: () => Promise.reject(new Error('The disk is full.')) }
  for (const [said, given] of [
    [`[say ${'x'.repeat(1024 * 1024)} two] [fail inference_timeout after 2]`, bench],
    ['[say one two] [fail inference_timeout after 1]', { ...bench, outputs: refused }],
  ] as const) {
    await using _worker = startWorker(given, settings)
    const { outcome, output } = await fail(bench, said)
    assert.deepEqual([outcome, output], ['failed', null])
  }
  assert.deepEqual(
    bench.reported.flatMap((event) => (event.type === 'fault' ? [event.duty] : [])),
    ['keep-written'],
  )
})

test('a result whose completion fails is not overwritten by the text without its end', async () => {
  const bench = createWorkerBench()
  const stored: string[] = []
  const put: OutputStore['put'] = async (...given) => {
    stored.push(Buffer.concat([...given[1].chunks]).toString())
    return bench.outputs.put(...given)
  }
  const complete = bench.queue.complete.bind(bench.queue)
  bench.queue.complete = async (hold, end, given) => {
    if (end.completion.outcome === 'succeeded') throw new Error('The answer of the database was lost.')
    return complete(hold, end, given)
  }
  await using _worker = startWorker({ ...bench, outputs: { ...watched(bench.outputs), put } }, settings)
  const { outcome, output } = await fail(bench, '[say one two]')
  assert.deepEqual([outcome, output], ['failed', null])
  assert.deepEqual(stored, ['one two', 'one two', 'one two'])
})
