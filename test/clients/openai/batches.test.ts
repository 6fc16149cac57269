import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import OpenAI, { toFile } from 'openai'
import { type BatchService, startBatchService } from '../../support/batches/batch-service.ts'

let batches: BatchService
let client: OpenAI
before(async () => {
  batches = await startBatchService()
  client = new OpenAI({ baseURL: `${batches.http.url}/v1`, apiKey: batches.http.token, maxRetries: 0 })
})
after(() => batches[Symbol.asyncDispose]())

const lineOf = (at: number, content: string) => {
  const body = { model: 'fake-chat', messages: [{ role: 'user', content }] }
  return JSON.stringify({ custom_id: `c${at}`, method: 'POST', url: '/v1/chat/completions', body })
}

async function send(...lines: readonly string[]): Promise<OpenAI.Batch> {
  const file = await client.files.create({ file: await toFile(Buffer.from(lines.join('\n')), 'in.jsonl'), purpose: 'batch' })
  const wanted = { input_file_id: file.id, endpoint: '/v1/chat/completions', completion_window: '24h' } as const
  return client.batches.create({ ...wanted, metadata: { for: 'a test' } })
}

test('the client sends a batch, and reads its results and its errors', async () => {
  const made = await send(lineOf(0, 'Say [say hello]'), lineOf(1, '[fail numerical_error]'))
  assert.deepEqual([made.status, made.metadata], ['validating', { for: 'a test' }])
  await batches.finish(made.id)
  const batch = await client.batches.retrieve(made.id)
  assert.deepEqual([batch.status, batch.request_counts], ['completed', { total: 2, completed: 1, failed: 1 }])
  for (const [id, expected] of [
    [batch.output_file_id, { custom_id: 'c0', status_code: 200 }],
    [batch.error_file_id, { custom_id: 'c1', status_code: 500 }],
  ] as const) {
    const { purpose } = await client.files.retrieve(id ?? '')
    const { custom_id, response } = JSON.parse(await (await client.files.content(id ?? '')).text())
    assert.deepEqual([purpose, custom_id, response.status_code], ['batch_output', expected.custom_id, expected.status_code])
  }
})

test('the client lists, cancels and misses batches', async () => {
  const sent = await Promise.all([0, 1, 2].map((at) => send(lineOf(at, '[hang]'))))
  const ids: string[] = []
  for await (const { id } of client.batches.list({ limit: 2 })) ids.push(id)
  assert.equal(new Set(ids).size, ids.length)
  for (const { id } of sent) {
    assert.ok(ids.includes(id))
    assert.equal((await client.batches.cancel(id)).status, 'cancelling')
    assert.equal((await batches.finish(id)).status, 'cancelled')
  }
  await assert.rejects(client.batches.retrieve('batch_x'), OpenAI.NotFoundError)
})
