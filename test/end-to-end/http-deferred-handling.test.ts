import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { createAccount } from '../../src/operations/access/accounts.ts'
import { submit } from '../support/deferred-requests.ts'
import { type HttpService, startHttpService } from '../support/http-service.ts'
import { readError, readJson } from '../support/read-json.ts'
import { createTestClock } from '../support/test-clock.ts'

const signal = new AbortController().signal

suite('handling of deferred requests', () => {
  let service: HttpService
  before(async () => {
    service = await startHttpService()
  })
  after(() => service[Symbol.asyncDispose]())

  test('the same key and body return the same request; another body is a conflict', async () => {
    const headers = { 'idempotency-key': 'key-1' }
    const first = await submit(service, { prompt: 'a tiger' }, headers)
    assert.equal((await submit(service, { prompt: 'a tiger' }, headers)).id, first.id)
    assert.notEqual((await submit(service, { prompt: 'a tiger' }, { 'idempotency-key': 'key-2' })).id, first.id)
    const conflict = await service.fetch('/generate/sdxl', { json: { prompt: 'a lion' }, headers: { 'x-service-async': '1', ...headers } })
    assert.equal(conflict.status, 409)
    const { code, param } = await readError(conflict)
    assert.deepEqual([code, param], ['idempotency_conflict', 'idempotency-key'])
    const long = await service.fetch('/generate/sdxl', {
      json: { prompt: 'x' },
      headers: { 'x-service-async': '1', 'idempotency-key': 'x'.repeat(256) },
    })
    assert.equal(long.status, 400)
    assert.equal((await submit(service, { prompt: 'x' }, { 'idempotency-key': 'x'.repeat(255) })).answer.status, 202)
  })

  test('headers for deferred work are checked, and rejected where they have no effect', async () => {
    const send = (headers: Record<string, string>) => service.fetch('/generate/sdxl', { json: { prompt: 'x' }, headers })
    const deferred = { 'x-service-async': '1' }
    for (const good of [
      { 'x-service-priority': 'low' },
      { 'x-service-priority': 'normal' },
      { 'x-service-webhook': 'https://example.com/hook' },
      { 'x-service-preview': '1' },
    ])
      assert.equal((await send({ ...deferred, ...good })).status, 202, JSON.stringify(good))
    for (const bad of [
      { 'x-service-priority': 'high' },
      { 'x-service-webhook': 'http://example.com/hook' },
      { 'x-service-webhook': 'https://127.0.0.1/hook' },
      { 'x-service-webhook': 'https://me:secret@example.com/hook' },
      { 'x-service-webhook': 'nonsense' },
      { 'x-service-preview': 'maybe' },
    ]) {
      const answer = await send({ ...deferred, ...bad })
      assert.equal(answer.status, 400, JSON.stringify(bad))
      assert.equal((await readError(answer)).param, Object.keys(bad)[0])
    }
    const { message } = await readError(await send({ ...deferred, 'x-service-webhook': 'https://10.0.0.7/hook' }))
    assert.match(message, /is in a private network, which the setting webhook-private-targets would allow\.$/)
    for (const idle of [
      { 'x-service-priority': 'low' },
      { 'x-service-webhook': 'https://example.com/hook' },
      { 'x-service-preview': '1' },
      { 'idempotency-key': 'key-3' },
    ]) {
      const answer = await send(idle)
      assert.equal(answer.status, 400, JSON.stringify(idle))
      assert.equal((await readError(answer)).param, Object.keys(idle)[0])
      const elsewhere = await service.fetch('/v1/embeddings', { json: { model: 'fake-chat', input: 'x' }, headers: idle })
      assert.equal(elsewhere.status, 400, JSON.stringify(idle))
    }
    assert.equal((await send({ 'idempotency-key': '' })).status, 200)
    const { queue } = service.store
    const rooms = [{ model: 'fake-image', room: 1 }]
    const claimed = await queue.claim({ workerId: 'w', rooms, limit: 1, leaseMs: 1000 }, { signal })
    assert.equal(claimed.length, 1)
  })

  test('chat completions have no previews', async () => {
    const json = { model: 'fake-chat', messages: [{ role: 'user', content: 'Hi' }] }
    const send = (preview: string) =>
      service.fetch('/v1/chat/completions', { json, headers: { 'x-service-async': '1', 'x-service-preview': preview } })
    const refused = await send('1')
    assert.equal(refused.status, 400)
    assert.equal((await readError(refused)).param, 'x-service-preview')
    assert.equal((await send('0')).status, 202)
  })

  test('routes without deferred answers reject them', async () => {
    for (const [path, json] of [
      ['/v1/completions', { model: 'fake-chat', prompt: 'x' }],
      ['/v1/embeddings', { model: 'fake-chat', input: 'x' }],
      ['/v1/images/generations', { prompt: 'x' }],
    ] as const) {
      const answer = await service.fetch(path, { json, headers: { 'x-service-async': '1' } })
      assert.equal(answer.status, 400, path)
      assert.equal((await readError(answer)).code, 'unsupported_parameter')
      assert.equal((await service.fetch(path, { json, headers: { prefer: 'respond-async' } })).status, 200)
    }
  })

  test('an account lists its requests newest first, by page and status', async () => {
    const clock = createTestClock()
    await using own = await startHttpService({ clock })
    const ids: string[] = []
    for (let index = 0; index < 5; index++) {
      ids.unshift((await submit(own)).id)
      await clock.advance(1)
    }
    const page = async (query: string) => {
      const { data, ...rest } = await readJson(await own.fetch(`/v1/requests${query}`))
      const entries: { response_id: string }[] = JSON.parse(JSON.stringify(data))
      return { ids: entries.map(({ response_id }) => response_id), ...rest }
    }
    assert.deepEqual(await page(''), { ids, object: 'list', has_more: false, next: null })
    const first = await page('?limit=2')
    assert.deepEqual(first, { ids: ids.slice(0, 2), object: 'list', has_more: true, next: ids[1] })
    assert.deepEqual((await page(`?limit=3&after=${ids[1]}`)).ids, ids.slice(2))
    assert.deepEqual((await page('?status=completed')).ids, [])
    assert.deepEqual((await page('?status=pending')).ids, ids)
    for (const query of ['?status=done', '?limit=0', '?limit=101', '?limit=x', '?after=a%20b', '?page=2', '?after=no-such-id'])
      assert.equal((await own.fetch(`/v1/requests${query}`)).status, 400, query)
    const stranger = await createAccount({ ...own.store, clock }, { name: 'Bo', role: 'member' }, { signal })
    const token = await own.makeToken(['read'], { accountId: stranger.id })
    const foreign = await own.fetch(`/v1/requests?after=${ids[1]}`, { token })
    assert.equal(foreign.status, 400)
    assert.equal((await readError(foreign)).param, 'after')
  })

  test('a full queue returns 503 with Retry-After', async () => {
    await using own = await startHttpService()
    for (let index = 0; index < 100; index++) await submit(own)
    const refused = await own.fetch('/generate/sdxl', { json: { prompt: 'x' }, headers: { 'x-service-async': '1' } })
    assert.equal(refused.status, 503)
    assert.equal((await readError(refused)).code, 'server_is_overloaded')
    assert.match(refused.headers.get('retry-after') ?? '', /^[1-9]\d*$/)
  })

  test('a pending request is cancelled at once, and its stored error is returned', async () => {
    const { id } = await submit(service)
    const cancelled = await readJson(await service.fetch(`/v1/requests/${id}`, { method: 'DELETE' }))
    assert.equal(cancelled.status, 'completed')
    assert.equal(cancelled.outcome, 'cancelled')
    assert.equal(cancelled.response_url, `${service.url}/v1/responses/${id}`)
    const stored = await service.fetch(`/v1/responses/${id}`)
    assert.equal(stored.status, 409)
    assert.equal((await readError(stored)).code, 'request_cancelled')
    assert.equal((await service.fetch(`/v1/requests/${id}`, { method: 'DELETE' })).status, 200)
  })
})
