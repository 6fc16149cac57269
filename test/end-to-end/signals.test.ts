import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { startHttpService } from '../support/http-service.ts'
import { type ReceivedSpan, startOtlpReceiver } from '../support/otlp-receiver.ts'
import { type ServiceProcess, sepia, startService } from '../support/service-process.ts'
import { createTemporaryFolder } from '../support/temporary-folder.ts'

const traceId = '0af7651916cd43dd8448eb211c80319c'
const spanId = 'b7ad6b7169203331'
const traceparent = `00-${traceId}-${spanId}-01`

async function makeToken(data: string): Promise<string> {
  const { out } = await sepia('token', 'create', '--name', 'signals', '--data', data, '--json')
  return JSON.parse(out).token
}

function ask(service: ServiceProcess, token: string, path: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${service.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', traceparent, ...headers },
    body: JSON.stringify(body),
  })
}

/** Sends the body when the service asks for it, so that it arrives apart from its head; returns the status. */
async function askInTwo(service: ServiceProcess, token: string, path: string, body: unknown): Promise<number | undefined> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', traceparent, expect: '100-continue' }
  const sent = request(`${service.url}${path}`, { method: 'POST', headers })
  const answered = once(sent, 'response') as Promise<[IncomingMessage]>
  sent.flushHeaders()
  await once(sent, 'continue')
  sent.end(JSON.stringify(body))
  const [response] = await answered
  await response.resume().toArray()
  return response.statusCode
}

/** Takes webhooks and keeps the traces that they come in. */
async function startHook(): Promise<{ readonly url: string; readonly received: Promise<string | undefined> } & AsyncDisposable> {
  const received = Promise.withResolvers<string | undefined>()
  const server = createServer((request, response) => {
    received.resolve(request.headers.traceparent as string | undefined)
    request.resume()
    response.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/hook`,
    received: received.promise,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const chat = (model: string) => ({ model, messages: [{ role: 'user', content: 'Hello' }], max_tokens: 4, temperature: 0 })

/** The names of the spans right below a span. */
function below(spans: readonly ReceivedSpan[], parent: ReceivedSpan | undefined): readonly string[] {
  assert.ok(parent)
  return spans.filter((span) => span.parentSpanId === parent.spanId).map(({ name }) => name)
}

test('a collector receives spans of chats, pictures and asynchronous work, in the trace of the client, and metrics', async () => {
  await using stack = new AsyncDisposableStack()
  const receiver = stack.use(await startOtlpReceiver())
  const folder = stack.use(await createTemporaryFolder())
  const received: (string | undefined)[] = []
  const behind = stack.use(
    await startHttpService({
      extend: async (server) => void server.addHook('preHandler', async ({ headers }) => void received.push(headers.traceparent as string)),
    }),
  )
  const models = join(folder.path, 'models')
  await mkdir(join(models, 'elsewhere'), { recursive: true })
  await writeFile(join(models, 'elsewhere', 'key'), behind.token)
  const elsewhere = { id: 'elsewhere', kind: 'text', format: 'openai', url: `${behind.url}/v1`, model: 'fake-chat', keyFile: 'key' }
  await writeFile(join(models, 'elsewhere', 'model.json'), JSON.stringify(elsewhere))
  const data = join(folder.path, 'data')
  const hook = stack.use(await startHook())
  const flags = ['--models', models, '--webhook-private-targets', '--otlp-url', receiver.url, '--otlp-headers', 'x-key=secret']
  const service = stack.use(await startService(data, ...flags, '--otlp-interval', '1h'))
  const token = await makeToken(data)

  assert.equal(await askInTwo(service, token, '/v1/chat/completions', chat('sepia-mini-chat')), 200)
  assert.equal((await ask(service, token, '/v1/chat/completions', chat('elsewhere'))).status, 200)
  const picture = { model: 'sepia-mini-image', prompt: 'a fox', steps: 3, sampler: 'DDIM', width: 64, height: 64 }
  const submitted = await ask(service, token, '/generate/sdxl', picture, { 'x-service-async': '1', 'x-service-webhook': hook.url })
  assert.equal(submitted.status, 202, await submitted.clone().text())
  const { poll_url } = (await submitted.json()) as { poll_url: string }
  const polled = await fetch(`${poll_url}?wait=60`, { headers: { authorization: `Bearer ${token}` } })
  assert.equal(((await polled.json()) as { outcome: string }).outcome, 'succeeded')
  const hookTraceparent = await hook.received
  const metrics = await (await fetch(`${service.url}/metrics`, { headers: { authorization: `Bearer ${token}` } })).text()
  assert.match(metrics, /^sepia_kv_cache_usage_perc\{model="sepia-mini-chat"\} 0(\.\d+)?$/m)
  assert.equal(await service.stop(), 0)

  const spans = receiver.spans.filter((span) => span.traceId === traceId)
  const chats = spans.filter(({ name }) => name === 'POST /v1/chat/completions')
  assert.deepEqual(
    chats.map(({ parentSpanId }) => parentSpanId),
    [spanId, spanId],
  )
  assert.deepEqual(below(spans, chats[0]).toSorted(), ['decode', 'load', 'prompt', 'queue'])
  const run = spans.find(({ name }) => name === 'run image')
  assert.equal(run?.parentSpanId, spans.find(({ name }) => name === 'POST /generate/sdxl')?.spanId)
  assert.deepEqual(new Set(below(spans, run)), new Set(['queue', 'load', 'steps', 'vae', 'store']))
  const hooked = spans.find(({ name }) => name === 'webhook')
  assert.equal(hooked?.parentSpanId, spans.find(({ name }) => name === 'POST /generate/sdxl')?.spanId)
  assert.equal(hookTraceparent, `00-${traceId}-${hooked?.spanId}-01`)
  assert.ok(received.includes(`00-${traceId}-${chats[1]?.spanId}-01`), 'the upstream server of a model receives the trace')

  assert.equal(receiver.headers()['x-key'], 'secret')
  const firstTokens = receiver.metrics.get('sepia_time_to_first_token_seconds')?.histogram?.dataPoints ?? []
  assert.deepEqual(
    firstTokens.map(({ count }) => Number(count)),
    [1, 1],
  )
  for (const { count, bucketCounts } of firstTokens)
    assert.equal(
      bucketCounts.reduce<number>((sum, each) => sum + Number(each), 0),
      Number(count),
    )
  assert.ok((receiver.metrics.get('sepia_inferences_completed_total')?.sum?.dataPoints[0]?.asDouble ?? 0) === 1)
  assert.equal(receiver.metrics.get('sepia_step_seconds')?.histogram?.dataPoints[0]?.count.toString(), '2')
  assert.ok(receiver.metrics.has('process_resident_memory_bytes'))
  assert.equal(receiver.metrics.get('sepia_spec_decode_num_draft_tokens_total')?.sum?.dataPoints[0]?.asDouble, 0)
})
