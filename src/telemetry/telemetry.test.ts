import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import { makeUsageEntry } from '../../test/support/memory/usage-entry.ts'
import { ServiceError } from '../core/error.ts'
import { inferenceClaimed, outputsExpired, queueSwept } from './inference-events.ts'
import { createLog, type LogSettings } from './log.ts'
import { observeModels } from './model-events.ts'
import { requestFinished, workFinished } from './request-events.ts'
import { faultSurvived, observeProcess } from './service-events.ts'
import { createTelemetry, renderMetrics, type Telemetry } from './telemetry.ts'

async function open({
  now,
  ...settings
}: Partial<LogSettings> & { readonly now?: () => number } = {}): Promise<{ telemetry: Telemetry; lines: string[] }> {
  const lines: string[] = []
  const log = createLog({ format: 'json', level: 'info', ...settings }, { write: (line) => void lines.push(line) })
  return { telemetry: createTelemetry(log, now && { now }), lines }
}

const request = { requestId: 'r1', method: 'GET', route: '/v1/models', status: 200, durationMs: 30, accountId: null }

describe('telemetry', () => {
  it('writes one JSON object per line, with a constant message and the data in fields', async () => {
    const { telemetry, lines } = await open()
    requestFinished(telemetry, request)
    assert.equal(lines.length, 1)
    const { time, ...line } = JSON.parse(lines[0] ?? '')
    assert.deepEqual(line, { level: 'info', ...request, msg: 'request finished' })
    assert.match(time, /^\d{4}-\d\d-\d\dT/)
  })

  it('writes polls without news only at the debug level', async () => {
    const poll = { ...request, status: 204 }
    const info = await open()
    requestFinished(info.telemetry, poll)
    assert.deepEqual(info.lines, [])
    const debug = await open({ level: 'debug' })
    requestFinished(debug.telemetry, poll)
    assert.equal(JSON.parse(debug.lines[0] ?? '').level, 'debug')
  })

  it('writes readable lines with the setting', async () => {
    const { telemetry, lines } = await open({ format: 'pretty' })
    requestFinished(telemetry, request)
    assert.match(lines.join(''), /INFO: request finished .*"route":"\/v1\/models"/)
  })

  it('shows a fault with its stack, without terminal control sequences', async () => {
    const { telemetry, lines } = await open({ format: 'pretty' })
    faultSurvived(telemetry, { where: 'usage' }, Object.assign(new Error('disk\u001b[2J full'), { code: 'ENOSPC' }))
    const [first = '', second = '', third = '', ...rest] = lines.join('').split('\n')
    assert.match(first, /^\[\d\d:\d\d:\d\d\] ERROR: fault survived \{.*"where":"usage".*\}$/)
    assert.equal(second, '    Error: disk [2J full')
    assert.match(third, /^ {8}at /)
    assert.deepEqual(rest.slice(-2), ['    {"code":"ENOSPC"}', ''])
  })

  it('keeps the cause of a fault in the log', async () => {
    const { telemetry, lines } = await open()
    faultSurvived(telemetry, { where: 'usage' }, new Error('disk full'))
    assert.equal(JSON.parse(lines[0] ?? '').err.message, 'disk full')
  })

  it('logs a recurring fault once a minute with a count, and a new one or that of a request at once', async () => {
    let now = 0
    const { telemetry, lines } = await open({ now: () => now })
    const reported = () => lines.splice(0).map((line) => JSON.parse(line).repeated ?? 0)
    const claim = (message: string) => faultSurvived(telemetry, { where: 'claim' }, new Error(message))
    for (; now <= 60_000; now += 250) claim('disk full')
    assert.deepEqual(reported(), [0, 239])
    claim('no rights')
    faultSurvived(telemetry, { where: 'sweep-queue' }, new Error('disk full'))
    assert.deepEqual(reported(), [0, 0])
    for (const requestId of ['a', 'b']) faultSurvived(telemetry, { where: 'http', requestId }, new Error('disk full'))
    assert.deepEqual(reported(), [0, 0])
    now += 60_000
    claim('disk full')
    assert.deepEqual(reported(), [0])
    assert.match(renderMetrics(telemetry), /^sepia_faults_total\{where="claim"\} 243$/m)
  })

  it('logs a fault of every request once a minute for each cause', async () => {
    let now = 0
    const { telemetry, lines } = await open({ now: () => now })
    const refuse = (cause: string) => {
      const fault = new ServiceError('server_is_overloaded', 'The disk of the service is full; try again later.', {
        cause: new Error(cause),
      })
      faultSurvived(telemetry, { where: 'http', requestId: randomUUID() }, fault)
    }
    for (; now < 60_000; now += 100) refuse('disk I/O error')
    refuse('database or disk is full')
    refuse('disk I/O error')
    const logged = lines.map((line) => JSON.parse(line))
    assert.deepEqual(
      logged.map(({ err, repeated = 0 }) => [err.cause?.message ?? err.message.split(': ').at(-1), repeated]),
      [
        ['disk I/O error', 0],
        ['database or disk is full', 0],
        ['disk I/O error', 599],
      ],
    )
  })

  it('logs nothing below its level, but counts it', async () => {
    const { telemetry, lines } = await open({ level: 'error' })
    requestFinished(telemetry, request)
    assert.deepEqual(lines, [])
    assert.match(renderMetrics(telemetry), /^sepia_http_requests_total\{method="GET",route="\/v1\/models",status="200"\} 1$/m)
  })

  it('counts durations into cumulative buckets', async () => {
    const { telemetry } = await open({ level: 'silent' })
    requestFinished(telemetry, request)
    requestFinished(telemetry, { ...request, durationMs: 70_000 })
    const text = renderMetrics(telemetry)
    const bucket = (bound: string): string => `sepia_http_request_seconds_bucket{method="GET",route="/v1/models",le="${bound}"}`
    assert.ok(text.includes(`${bucket('0.025')} 0\n${bucket('0.05')} 1\n`))
    assert.ok(text.includes(`${bucket('60')} 1\n${bucket('+Inf')} 2\n`))
    assert.match(text, /^sepia_http_request_seconds_sum\{[^}]*\} 70\.03$/m)
  })

  it('sums tokens and images by model', async () => {
    const { telemetry } = await open({ level: 'silent' })
    const entry = makeUsageEntry({ model: 'm"1', promptTokens: 3, completionTokens: 4 })
    workFinished(telemetry, entry)
    workFinished(telemetry, entry)
    assert.match(renderMetrics(telemetry), /^sepia_tokens_total\{model="m\\"1",kind="completion"\} 8$/m)
  })

  it('reports waiting times and the results of sweep and expiry', async () => {
    const { telemetry } = await open({ level: 'silent' })
    inferenceClaimed(telemetry, { inferenceId: 'i', model: 'm', attempt: 1, queuedMs: 2_000 })
    queueSwept(telemetry, { requeued: 2, failed: 0 })
    outputsExpired(telemetry, { outputs: ['a', 'b', 'c'], deletedRecords: 0 })
    const text = renderMetrics(telemetry)
    assert.match(text, /^sepia_inference_queue_seconds_sum\{model="m"\} 2$/m)
    assert.match(text, /^sepia_inferences_requeued_total\{reason="lease"\} 2$/m)
    assert.match(text, /^sepia_outputs_deleted_total 3$/m)
  })

  it('reads the state of models and process when the metrics are read', async () => {
    const { telemetry } = await open({ level: 'silent' })
    let inUse = 1
    observeModels(telemetry, () => [{ modelId: 'm', state: 'loaded', memoryBytes: 7, slots: 2, inUse, waiting: 0 }])
    observeProcess(telemetry)
    inUse = 2
    const text = renderMetrics(telemetry)
    assert.match(text, /^sepia_model_slots_in_use\{model="m"\} 2$/m)
    assert.match(text, /^process_resident_memory_bytes \d+$/m)
  })
})
