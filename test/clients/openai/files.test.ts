import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import OpenAI, { toFile } from 'openai'
import { createAccount } from '../../../src/operations/access/accounts.ts'
import { type HttpService, startHttpService } from '../../support/http-service.ts'
import { createMemoryOutputs } from '../../support/memory/create-memory-outputs.ts'
import { readError } from '../../support/read-json.ts'
import { createTestClock } from '../../support/test-clock.ts'

const megabyte = 1024 * 1024
const { signal } = new AbortController()

suite('files', () => {
  let service: HttpService
  let client: OpenAI
  const clock = createTestClock()
  const outputs = createMemoryOutputs({ clock })
  before(async () => {
    service = await startHttpService({ clock, overrides: { outputs }, settings: { maxDocumentBytes: 20 * megabyte } })
    client = new OpenAI({ baseURL: `${service.url}/v1`, apiKey: service.token, maxRetries: 0 })
  })
  after(() => service[Symbol.asyncDispose]())

  const upload = (body: FormData, token = service.token) =>
    fetch(`${service.url}/v1/files`, { method: 'POST', body, headers: { authorization: `Bearer ${token}` } })
  const form = (...parts: readonly (readonly [string, string | Blob])[]): FormData => {
    const body = new FormData()
    for (const [name, value] of parts) typeof value === 'string' ? body.append(name, value) : body.append(name, value, 'a.jsonl')
    return body
  }

  test('a file is stored unchanged, listed, fetched and deleted', async () => {
    const bytes = Buffer.from(Array.from({ length: 9 * megabyte + 7 }, (_, at) => at % 251))
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
    const left: unknown[] = []
    for await (const output of outputs.listOld({ olderThan: clock.now() + 1 }, { signal })) left.push(output)
    assert.deepEqual(left, [])
  })

  test('files are limited per account, and a rejected file leaves nothing behind', async () => {
    const answer = await upload(form(['purpose', 'batch'], ['file', new Blob([Buffer.alloc(21 * megabyte)])]))
    assert.equal(answer.status, 429)
    assert.equal((await readError(answer)).code, 'quota_exceeded')
    const left: unknown[] = []
    for await (const output of outputs.listOld({ olderThan: clock.now() + 1 }, { signal })) left.push(output)
    assert.deepEqual(left, [])
    assert.equal((await service.store.documents.sum({ accountId: service.accountId, kind: 'file' }, { signal })).count, 0)
  })

  const file = new Blob(['{}'])
  for (const [what, parts, param] of [
    ['no file', [['purpose', 'batch']], 'file'],
    [
      'two files',
      [
        ['purpose', 'batch'],
        ['file', file],
        ['file', file],
      ],
      'file',
    ],
    [
      'a file of another name',
      [
        ['purpose', 'batch'],
        ['data', file],
      ],
      'file',
    ],
    ['no purpose', [['file', file]], 'purpose'],
    [
      'another purpose',
      [
        ['file', file],
        ['purpose', 'batch_output'],
      ],
      'purpose',
    ],
    [
      'too short a life',
      [
        ['file', file],
        ['purpose', 'batch'],
        ['expires_after[anchor]', 'created_at'],
        ['expires_after[seconds]', '1'],
      ],
      'expires_after.seconds',
    ],
  ] as const)
    test(`rejected by name: ${what}`, async () => {
      const answer = await upload(form(...parts))
      assert.equal(answer.status, 400)
      assert.equal((await readError(answer)).param, param)
    })

  test('a file of another account, an unknown file and a malformed id return the same error', async () => {
    const { id } = await client.files.create({ file: await toFile(Buffer.from('x'), 'b'), purpose: 'batch' })
    const grace = await createAccount({ ...service.store, clock }, { name: 'Grace', role: 'member' }, { signal })
    const token = await service.makeToken(['text'], { accountId: grace.id })
    const words = new Set<string>()
    for (const path of [id, `${id}/content`, 'file-x', '%00', '..%2f..%2fetc']) {
      const answer = await service.fetch(`/v1/files/${path}`, { token })
      assert.equal(answer.status, 404, path)
      words.add((await readError(answer)).message)
    }
    assert.equal(words.size, 1)
    assert.equal((await service.fetch(`/v1/files/${id}`, { method: 'DELETE', token })).status, 404)
    assert.equal((await service.fetch(`/v1/files?after=${id}`, { token })).status, 400)
    assert.equal((await service.fetch('/v1/files', { token: await service.makeToken(['image']) })).status, 403)
    assert.equal((await service.fetch(`/v1/files/${id}`)).status, 200)
  })
})
