import assert from 'node:assert/strict'
import { test } from 'node:test'
import OpenAI, { toFile } from 'openai'
import { startHttpService } from '../../support/http-service.ts'

test('the client stores, lists, fetches and deletes files', async () => {
  await using service = await startHttpService()
  const client = new OpenAI({ baseURL: `${service.url}/v1`, apiKey: service.token, maxRetries: 0 })
  const bytes = Buffer.from(Array.from({ length: 300_007 }, (_, at) => at % 251))
  const made = await client.files.create({ file: await toFile(bytes, '../evil/\u0000näme.jsonl'), purpose: 'batch' })
  assert.match(made.id, /^file-[0-9a-f-]{36}$/)
  assert.equal(made.bytes, bytes.length)
  assert.equal(made.filename, 'näme.jsonl')
  assert.equal(made.expires_at, made.created_at + 30 * 24 * 3600)
  const fetched = await client.files.content(made.id)
  assert.equal(fetched.headers.get('content-type'), 'application/octet-stream')
  assert.ok(Buffer.from(await fetched.arrayBuffer()).equals(bytes))
  assert.deepEqual(await client.files.retrieve(made.id), made)
  const second = await client.files.create({ file: await toFile(Buffer.from('x'), 'b'), purpose: 'user_data' })
  assert.equal(second.expires_at, null)
  const names: string[] = []
  for await (const { id } of client.files.list({ limit: 1 })) names.push(id)
  assert.deepEqual(names.toSorted(), [made.id, second.id].toSorted())
  assert.deepEqual(
    (await client.files.list({ purpose: 'user_data' })).data.map(({ id }) => id),
    [second.id],
  )
  for (const { id } of [made, second]) assert.equal((await client.files.delete(id)).deleted, true)
  await assert.rejects(client.files.retrieve(made.id), OpenAI.NotFoundError)
})
