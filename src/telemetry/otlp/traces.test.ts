import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatTraceparent, parseTraceparent, Traces } from './traces.ts'

const traceId = '0af7651916cd43dd8448eb211c80319c'
const spanId = 'b7ad6b7169203331'
const valid = `00-${traceId}-${spanId}-01`

test('the known part of a traceparent of a later version is read', () => {
  assert.deepEqual(parseTraceparent(valid), { traceId, spanId, sampled: true })
  assert.deepEqual(parseTraceparent(`00-${traceId}-${spanId}-02`), { traceId, spanId, sampled: false })
  assert.deepEqual(parseTraceparent(`cc-${traceId}-${spanId}-01-what-comes`), { traceId, spanId, sampled: true })
})

for (const broken of [
  undefined,
  '',
  `ff-${traceId}-${spanId}-01`,
  `00-${traceId}-${spanId}-01-more`,
  `00-${'0'.repeat(32)}-${spanId}-01`,
  `00-${traceId}-${'0'.repeat(16)}-01`,
  `00-${traceId.toUpperCase()}-${spanId}-01`,
  `00-${traceId}-${spanId}`,
  ` ${valid}`,
  `${valid}\n`,
])
  test(`${JSON.stringify(broken)} is not a traceparent`, () => assert.equal(parseTraceparent(broken), undefined))

test('a service outside a trace passes it on unchanged', () => {
  const traces = new Traces(null)
  assert.equal(traces.traceparent(), undefined)
  assert.equal(
    traces.enter('GET', { kind: 'server', traceparent: valid }).run(() => traces.traceparent()),
    valid,
  )
})

test('later spans of a stream belong to its request', () => {
  const begun: (string | undefined)[] = []
  const traces = new Traces((_name, { parent }) => {
    begun.push(parent && formatTraceparent(parent))
    return { context: { traceId, spanId: 'c'.repeat(16), sampled: true }, end() {} }
  })
  const tell = traces
    .enter('GET', { kind: 'server', traceparent: valid })
    .run(() => traces.bind(() => traces.record('decode', { startedAt: 1, endedAt: 2, attributes: {} })))
  tell(undefined)
  assert.deepEqual(begun, [valid, `00-${traceId}-${'c'.repeat(16)}-01`])
})
