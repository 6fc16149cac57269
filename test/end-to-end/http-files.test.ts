import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { ServiceError } from '../../src/core/error.ts'
import type { DocumentStore } from '../../src/core/ports/document-store.ts'
import { createAccount } from '../../src/operations/access/accounts.ts'
import type { FileObject } from '../support/batches/batch-service.ts'
import { type HttpService, startHttpService } from '../support/http-service.ts'
import { createMemoryOutputs } from '../support/memory/create-memory-outputs.ts'
import { createMemoryStore } from '../support/memory/create-memory-store.ts'
import { readError, readJson } from '../support/read-json.ts'
import { createTestClock } from '../support/test-clock.ts'

const megabyte = 1024 * 1024
const { signal } = new AbortController()

suite('files', () => {
  let service: HttpService
  const clock = createTestClock()
  const outputs = createMemoryOutputs({ clock })
  before(async () => {
    service = await startHttpService({ clock, overrides: { outputs }, settings: { accounts: { documentBytes: 20 * megabyte } } })
  })
  after(() => service[Symbol.asyncDispose]())

  const upload = (body: FormData, token = service.token) =>
    fetch(`${service.url}/v1/files`, { method: 'POST', body, headers: { authorization: `Bearer ${token}` } })
  const form = (...parts: readonly (readonly [string, string | Blob])[]): FormData => {
    const body = new FormData()
    for (const [name, value] of parts) typeof value === 'string' ? body.append(name, value) : body.append(name, value, 'a.jsonl')
    return body
  }

  const send = async (content: Blob, name: string, purpose: string): Promise<FileObject> => {
    const body = new FormData()
    body.append('purpose', purpose)
    body.append('file', content, name)
    const answer = await upload(body)
    assert.equal(answer.status, 200)
    return JSON.parse(await answer.text())
  }
  const keptOutputs = () => Array.fromAsync(outputs.listOld({ olderThan: clock.now() + 1 }, { signal }))

  test('a file is stored unchanged, listed, fetched and deleted', async () => {
    const bytes = Buffer.alloc(9 * megabyte + 7, Buffer.from(Array.from({ length: 251 }, (_, at) => at)))
    const made = await send(new Blob([bytes]), '../evil/\u0000näme.jsonl', 'batch')
    assert.match(made.id, /^file-[0-9a-f-]{36}$/)
    assert.deepEqual([made.bytes, made.filename, made.purpose], [bytes.length, 'näme.jsonl', 'batch'])
    assert.equal(made.expires_at, made.created_at + 30 * 24 * 3600)
    const fetched = await service.fetch(`/v1/files/${made.id}/content`)
    const headers = ['content-type', 'content-length', 'content-disposition', 'x-content-type-options']
    assert.deepEqual(
      headers.map((name) => fetched.headers.get(name)),
      ['application/octet-stream', String(bytes.length), `attachment; filename="${made.id}"`, 'nosniff'],
    )
    assert.ok(Buffer.from(await fetched.arrayBuffer()).equals(bytes))
    const head = await service.fetch(`/v1/files/${made.id}/content`, { method: 'HEAD' })
    assert.deepEqual([head.status, head.headers.get('content-length')], [200, String(bytes.length)])
    assert.deepEqual(await readJson(await service.fetch(`/v1/files/${made.id}`)), made)
    const second = await send(new Blob(['x']), 'b', 'user_data')
    assert.equal(second.expires_at, null)
    const listed = async (query: string) => {
      const { data, has_more: more } = await readJson(await service.fetch(`/v1/files?${query}`))
      return [Object(data).map(({ id }: FileObject) => id), more]
    }
    const [[newest], more] = await listed('limit=1')
    assert.equal(more, true)
    const oldest = newest === made.id ? second.id : made.id
    assert.deepEqual(await listed(`limit=1&after=${newest}`), [[oldest], false])
    assert.deepEqual(await listed('purpose=user_data'), [[second.id], false])
    for (const { id } of [made, second]) {
      const removed = await service.fetch(`/v1/files/${id}`, { method: 'DELETE' })
      assert.deepEqual(await readJson(removed), { id, object: 'file', deleted: true })
      for (const path of [id, `${id}/content`]) assert.equal((await service.fetch(`/v1/files/${path}`)).status, 404)
      assert.equal((await service.fetch(`/v1/files/${id}`, { method: 'DELETE' })).status, 404)
    }
    assert.deepEqual(await keptOutputs(), [])
  })

  test('files are limited per account, and a rejected file leaves nothing behind', async () => {
    const answer = await upload(form(['purpose', 'batch'], ['file', new Blob([Buffer.alloc(21 * megabyte)])]))
    assert.equal(answer.status, 429)
    assert.equal((await readError(answer)).code, 'quota_exceeded')
    assert.deepEqual(await keptOutputs(), [])
    assert.equal((await service.store.documents.sum({ accountId: service.accountId, kind: 'file' }, { signal })).count, 0)
  })

  test('a file keeps its bytes if its record was stored but the answer of the store was lost', async () => {
    const store = createMemoryStore({ clock, limits: { maxPending: 1 } })
    const put: DocumentStore['put'] = async (...given) => {
      await store.documents.put(...given)
      throw new ServiceError('server_is_overloaded', 'The database did not respond in time; try again later.')
    }
    const documents = new Proxy(store.documents, { get: (target, name) => (name === 'put' ? put : Reflect.get(target, name)) })
    await using losing = await startHttpService({ clock, open: () => store, overrides: { outputs, documents } })
    const answer = await fetch(`${losing.url}/v1/files`, {
      method: 'POST',
      body: form(['purpose', 'batch'], ['file', new Blob(['{}'])]),
      headers: { authorization: `Bearer ${losing.token}` },
    })
    assert.equal(answer.status, 503)
    const listed = await readJson(await losing.fetch('/v1/files'))
    const [{ id }] = Object(listed).data
    const content = await losing.fetch(`/v1/files/${id}/content`)
    assert.deepEqual([content.status, await content.text()], [200, '{}'])
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
    const { id } = await send(new Blob(['x']), 'b', 'batch')
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
