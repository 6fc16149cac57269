import assert from 'node:assert/strict'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { startOtlpReceiver } from '../support/otlp-receiver.ts'
import { createDatabase } from '../support/postgres/postgres-databases.ts'
import { withoutPostgres } from '../support/postgres/postgres-server.ts'
import { startFaultyS3Server } from '../support/s3/faulty-s3-server.ts'
import { startServiceIn } from '../support/service-process.ts'
import { createTemporaryFolder } from '../support/temporary-folder.ts'

const traceId = '0af7651916cd43dd8448eb211c80319c'
const traceparent = `00-${traceId}-b7ad6b7169203331-01`

suite('traces of several nodes', { skip: withoutPostgres }, () => {
  test("one trace joins a client's request to one node with the work of another", async () => {
    await using parts = new AsyncDisposableStack()
    const receiver = parts.use(await startOtlpReceiver())
    const bucket = parts.use(await startFaultyS3Server())
    const folder = parts.use(await createTemporaryFolder()).path
    const environment = {
      SEPIA_DATABASE_URL: await createDatabase(),
      SEPIA_S3_URL: `${bucket.address.endpoint.replace('//', '//key:secret@')}/outputs`,
      SEPIA_CLUSTER_SECRET: 'a secret of all nodes',
      SEPIA_OTLP_URL: receiver.url,
      SEPIA_OTLP_INTERVAL: '1h',
    }
    const start = async (role: string) => parts.use(await startServiceIn(environment, join(folder, role), '--role', role))
    const worker = await start('worker')
    const api = await start('api')
    const [token = ''] = [worker, api].flatMap(({ greeting }) => /TOKEN=(\S+)/.exec(greeting)?.[1] ?? [])
    while ((await fetch(`${api.url}/readyz`)).status !== 200);
    const ask = (path: string, body: object, headers: Record<string, string> = {}) =>
      fetch(`${api.url}${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', traceparent, ...headers },
        body: JSON.stringify(body),
      })
    const chat = { model: 'sepia-mini-chat', messages: [{ role: 'user', content: 'Hello' }], max_tokens: 4 }
    assert.equal((await ask('/v1/chat/completions', chat)).status, 200)
    const submitted = await ask('/v1/chat/completions', chat, { 'x-service-async': '1' })
    const { poll_url } = (await submitted.json()) as { readonly poll_url: string }
    const polled = await fetch(`${poll_url}?wait=60`, { headers: { authorization: `Bearer ${token}` } })
    assert.equal(((await polled.json()) as { readonly outcome: string }).outcome, 'succeeded')
    assert.deepEqual([await api.stop(), await worker.stop()], [0, 0])

    const spans = receiver.spans.filter((span) => span.traceId === traceId)
    const [requested, deferred] = spans
      .filter(({ name }) => name === 'POST /v1/chat/completions')
      .toSorted((a, b) => (BigInt(a.startTimeUnixNano) < BigInt(b.startTimeUnixNano) ? -1 : 1))
    const lent = spans.find(({ name }) => name === 'lend text')
    assert.equal(lent?.parentSpanId, requested?.spanId, 'the slot that another node lends')
    assert.equal(spans.find(({ name }) => name === 'load')?.parentSpanId, lent?.spanId, 'the load on that node')
    const run = spans.find(({ name }) => name === 'run chat')
    assert.equal(run?.parentSpanId, deferred?.spanId, 'the work that another node claimed')
  })
})
