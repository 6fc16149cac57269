import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeSubmission } from '../../../test/support/submission.ts'
import { makeTextRequest } from '../../../test/support/text-request.ts'
import { createWorkerBench, submitImage } from '../../../test/support/worker-bench.ts'
import { createLog } from '../../telemetry/create-log.ts'
import { createTelemetry, renderMetrics } from '../../telemetry/telemetry.ts'
import { startWorker } from '../../worker/start-worker.ts'
import { observeWorker } from './observe-worker.ts'

const options = { signal: new AbortController().signal }
const settings = { workerId: 'w', concurrency: 8, leaseMs: 30_000, runLimitMs: 60_000 }

test('asynchronous work counts in the metrics of pictures, tokens and time, as interactive work does', async () => {
  const bench = createWorkerBench()
  const telemetry = createTelemetry(await createLog({ level: 'silent', format: 'json' }))
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
