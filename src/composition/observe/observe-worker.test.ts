import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeImageRequest } from '../../../test/support/image-request.ts'
import { makeSubmission } from '../../../test/support/submission.ts'
import { makeTextRequest } from '../../../test/support/text-request.ts'
import { createWorkerBench, submitImage } from '../../../test/support/worker-bench.ts'
import type { WebhookDelivery } from '../../core/ports/webhook-log.ts'
import { createLog } from '../../telemetry/log.ts'
import type { BeginSpan, OpenSpan } from '../../telemetry/otlp/traces.ts'
import { createTelemetry, renderMetrics } from '../../telemetry/telemetry.ts'
import { startWorker } from '../../worker/start-worker.ts'
import { observeWorker, traceClaims, traceLeases, traceWebhooks } from './observe-events.ts'

const options = { signal: new AbortController().signal }
const settings = { workerId: 'w', concurrency: 8, leaseMs: 30_000, runLimitMs: 60_000 }

test('asynchronous work is counted in the metrics for images, tokens and time, like interactive work', async () => {
  const bench = createWorkerBench()
  const telemetry = createTelemetry(createLog({ level: 'silent', format: 'json' }))
  const observe = observeWorker(telemetry)
  const onEvent: typeof bench.onEvent = (event) => {
    observe(event)
    bench.onEvent(event)
  }
  await using _worker = startWorker({ ...bench, onEvent }, settings)
  await submitImage(bench, 'a tiger')
  await bench.nextEvent('completed')
  await bench.queue.enqueue(makeSubmission({ work: { kind: 'chat', request: makeTextRequest('[say hello there]') } }), options)
  await bench.nextEvent('completed')
  await submitImage(bench, '[fail validation_error]')
  await bench.nextEvent('completed')
  const text = renderMetrics(telemetry)
  assert.match(text, /^sepia_images_total\{model="fake-image"\} 1$/m)
  assert.match(text, /^sepia_tokens_total\{model="fake-chat",kind="completion"\} 2$/m)
  assert.match(text, /^sepia_work_seconds_count\{model="fake-image",kind="image",outcome="succeeded"\} 1$/m)
  assert.match(text, /^sepia_work_seconds_count\{model="fake-image",kind="image",outcome="failed"\} 1$/m)
  assert.match(text, /^sepia_work_seconds_count\{model="fake-chat",kind="chat",outcome="succeeded"\} 1$/m)
})

interface ReportedSpan {
  readonly name: string
  readonly kind: string
  readonly parent: string | undefined
  readonly end: Parameters<OpenSpan['end']>[0]
}

/** A telemetry that keeps the spans that have ended, in that order. */
async function createTracedTelemetry(): Promise<{
  readonly telemetry: ReturnType<typeof createTelemetry>
  readonly spans: ReportedSpan[]
}> {
  const spans: ReportedSpan[] = []
  const begin: BeginSpan = (name, { kind, parent }) => ({
    context: { traceId: parent?.traceId ?? 'a'.repeat(32), spanId: 'c'.repeat(16), sampled: true },
    end: (end) => spans.push({ name, kind, parent: parent?.spanId, end }),
  })
  return { telemetry: createTelemetry(createLog({ level: 'silent', format: 'json' }), { begin }), spans }
}

const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`

for (const [prompt, failed] of [
  ['a tiger', false],
  ['[fail numerical_error]', true],
] as const)
  test(`the span of a run lies in its request’s trace, with the wait before it, and is ${failed ? 'failed when the run fails' : 'not failed'}`, async () => {
    const bench = createWorkerBench()
    const { telemetry, spans } = await createTracedTelemetry()
    const work = { kind: 'image', request: makeImageRequest(prompt) } as const
    const { inference } = await bench.queue.enqueue(makeSubmission({ work, traceparent }), options)
    {
      await using _worker = startWorker({ ...bench, trace: traceClaims(telemetry) }, settings)
      await bench.nextEvent('completed')
    }
    const [queue, run, ...more] = spans
    assert.deepEqual([queue?.name, queue?.kind, queue?.parent, more], ['queue', 'internal', 'c'.repeat(16), []])
    assert.deepEqual([run?.name, run?.kind, run?.parent], ['run image', 'consumer', 'b'.repeat(16)])
    const attributes = { 'sepia.inference_id': inference.id, 'sepia.model': 'fake-image', 'sepia.attempt': 1 }
    assert.deepEqual(run?.end, { attributes, failed })
  })

test('the span of a request from another node fails when the work fails, and passes the error on', async () => {
  const { telemetry, spans } = await createTracedTelemetry()
  const lease = { kind: 'text', model: 'fake-chat', traceparent, account: 'a', sequences: 1, deferred: false } as const
  await traceLeases(telemetry)(lease, async () => assert.equal(telemetry.traces.traceparent(), `00-${'a'.repeat(32)}-${'c'.repeat(16)}-01`))
  await assert.rejects(
    traceLeases(telemetry)(lease, async () => {
      throw new Error('gone')
    }),
    /gone/,
  )
  assert.deepEqual(
    spans.map(({ name, kind, end }) => [name, kind, end?.failed, end?.attributes]),
    [
      ['lend text', 'server', false, { 'sepia.model': 'fake-chat' }],
      ['lend text', 'server', true, { 'sepia.model': 'fake-chat' }],
    ],
  )
})

test('each webhook attempt gets its own span, and attempts are counted from one', async () => {
  const { telemetry, spans } = await createTracedTelemetry()
  const trace = traceWebhooks(telemetry)
  const delivery: WebhookDelivery = {
    id: 'd1',
    inferenceId: 'i1',
    accountId: 'a',
    url: 'https://example.com/hook',
    attempts: 2,
    nextAttemptAt: 0,
    state: 'waiting',
    lastResult: null,
    traceparent,
  }
  assert.equal(await trace(delivery, async (own) => own), `00-${'a'.repeat(32)}-${'c'.repeat(16)}-01`)
  assert.equal(await trace({ ...delivery, traceparent: null }, async (own) => own), `00-${'a'.repeat(32)}-${'c'.repeat(16)}-01`)
  assert.deepEqual(
    spans.map(({ kind, parent, end }) => [kind, parent, end?.attributes?.['sepia.attempt'], end?.failed]),
    [
      ['client', 'b'.repeat(16), 3, false],
      ['client', undefined, 3, false],
    ],
  )
})
