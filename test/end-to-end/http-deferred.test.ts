import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, suite, test } from 'node:test'
import { createAccount } from '../../src/operations/create-account.ts'
import { type HttpService, startHttpService } from '../support/http-service.ts'
import { readError, readJson } from '../support/read-json.ts'
import { createTestClock } from '../support/test-clock.ts'

const signal = new AbortController().signal
const dayMs = 24 * 60 * 60 * 1000

async function submit(
  service: HttpService,
  json: object = { prompt: 'a tiger', seed: 1 },
  headers: Record<string, string> = {},
  path = '/generate/sdxl',
) {
  const answer = await service.fetch(path, { json, headers: { 'x-service-async': '1', ...headers } })
  assert.equal(answer.status, 202)
  const { response_id: id, poll_url: pollUrl, ...rest } = await readJson(answer)
  assert.deepEqual(rest, {})
  assert.equal(pollUrl, `${service.url}/v1/requests/${id}`)
  assert.equal(answer.headers.get('location'), pollUrl)
  return { id: String(id), answer }
}

async function finish(service: HttpService, id: string): Promise<Record<string, unknown>> {
  const answer = await service.fetch(`/v1/requests/${id}?wait=60`)
  assert.equal(answer.status, 200)
  return readJson(answer)
}

suite('deferred requests without a worker', () => {
  let service: HttpService
  before(async () => {
    service = await startHttpService()
  })
  after(() => service[Symbol.asyncDispose]())

  test('asynchronous mode is asked for by header, by an alias or by preference', async () => {
    for (const headers of [{ 'x-service-async': '1' }, { 'x-service-async': 'True' }, { 'x-service-async': '', 'x-octoai-async': '1' }]) {
      const { answer } = await submit(service, { prompt: 'a tiger' }, headers)
      assert.equal(answer.headers.get('preference-applied'), null)
    }
    const { answer } = await submit(service, { prompt: 'a tiger' }, { 'x-service-async': '', prefer: 'respond-async, wait=5' })
    assert.equal(answer.headers.get('preference-applied'), 'respond-async')
    for (const value of ['', '0', 'false', ' ']) {
      const sync = await service.fetch('/generate/sdxl', {
        json: { prompt: 'a tiger' },
        headers: { 'x-service-async': value, 'x-octoai-async': value },
      })
      assert.equal(sync.status, 200)
    }
    const unclear = await service.fetch('/generate/sdxl', { json: { prompt: 'a tiger' }, headers: { 'x-service-async': 'maybe' } })
    assert.equal(unclear.status, 400)
    assert.equal((await readError(unclear)).param, 'x-service-async')
  })

  test('invalid input is refused before anything is queued', async () => {
    const before = (await readJson(await service.fetch('/v1/requests?limit=100'))).data
    for (const json of [{ prompt: '' }, { prompt: 'x', init_image: 'AAAA' }, { prompt: 'x', loras: { a: 1 } }]) {
      const answer = await service.fetch('/generate/sdxl', { json, headers: { 'x-service-async': '1' } })
      assert.equal(answer.status, 422)
    }
    assert.deepEqual((await readJson(await service.fetch('/v1/requests?limit=100'))).data, before)
  })

  test('a pending request tells its place and when to ask again', async () => {
    const { id } = await submit(service)
    const answer = await service.fetch(`/v1/requests/${id}`)
    assert.equal(answer.status, 200)
    assert.match(answer.headers.get('retry-after') ?? '', /^[1-9]\d*$/)
    const { queue_position, created_at, ...rest } = await readJson(answer)
    assert.ok(Number(queue_position) >= 1)
    assert.ok(Math.abs(Date.parse(String(created_at)) - Date.now()) < 60_000)
    assert.deepEqual(rest, {
      response_id: id,
      status: 'pending',
      poll_url: `${service.url}/v1/requests/${id}`,
      model: 'fake-image',
      attempt: 0,
      started_at: null,
      completed_at: null,
      expires_at: null,
    })
    const early = await service.fetch(`/v1/responses/${id}`)
    assert.equal(early.status, 409)
    assert.match(early.headers.get('retry-after') ?? '', /^[1-9]\d*$/)
    assert.equal((await readError(early)).code, 'not_completed')
  })

  test('foreign, unknown and malformed ids get byte-identical answers', async () => {
    const { id } = await submit(service)
    const stranger = await createAccount(
      { ...service.store, clock: { now: () => 0, wait: () => Promise.resolve() } },
      { name: 'Bo', role: 'member' },
      { signal },
    )
    const token = await service.makeToken(['read', 'text', 'image'], { accountId: stranger.id })
    for (const [kind, method] of [
      ['requests', 'GET'],
      ['requests', 'DELETE'],
      ['responses', 'GET'],
    ] as const) {
      const answers = await Promise.all(
        [id, '00000000-0000-4000-8000-000000000000', 'x', 'a%20b', '%zz', '%00', '..%2f..', 'x'.repeat(500), 'é'].map(async (name) => {
          const answer = await service.fetch(`/v1/${kind}/${name}`, { method, token })
          const headers = Object.fromEntries(
            [...answer.headers].filter(([header]) => !['date', 'x-request-id', 'x-user-request-id'].includes(header)),
          )
          return JSON.stringify([answer.status, headers, await answer.text()])
        }),
      )
      assert.equal(new Set(answers).size, 1, answers.join('\n'))
      assert.match(answers[0] ?? '', /^\[404,.*request_not_found/)
    }
    assert.equal((await service.fetch(`/v1/requests/${id}/events`, { token })).status, 404)
    assert.equal((await readJson(await service.fetch(`/v1/requests/${id}`))).status, 'pending')
  })

  test('a poll may be held, at most for a minute, and falls back to the ordinary answer', async () => {
    const clock = createTestClock()
    await using own = await startHttpService({ clock })
    const { id } = await submit(own)
    for (const [query, prefer, ms, applied] of [
      ['?wait=60', '', 60_000, null],
      ['?wait=1.5', '', 1500, null],
      ['', 'wait=10', 10_000, 'wait=10'],
      ['', 'respond-async, wait=600', 60_000, 'wait=60'],
    ] as const) {
      const asking = own.fetch(`/v1/requests/${id}${query}`, { headers: { prefer } })
      let answered = false
      asking.then(() => {
        answered = true
      })
      await clock.waiting(1)
      await clock.advance(ms - 1)
      assert.equal(answered, false)
      await clock.advance(1)
      const answer = await asking
      assert.equal((await readJson(answer)).status, 'pending')
      assert.equal(answer.headers.get('preference-applied'), applied)
    }
    for (const wait of ['61', '-1', 'soon', '']) {
      const answer = await own.fetch(`/v1/requests/${id}?wait=${wait}`)
      assert.equal(answer.status, 400, wait)
      assert.equal((await readError(answer)).param, 'wait')
    }
  })

  test('the same key and body give the same request; another body is a conflict', async () => {
    const headers = { 'idempotency-key': 'key-1' }
    const first = await submit(service, { prompt: 'a tiger' }, headers)
    assert.equal((await submit(service, { prompt: 'a tiger' }, headers)).id, first.id)
    assert.notEqual((await submit(service, { prompt: 'a tiger' }, { 'idempotency-key': 'key-2' })).id, first.id)
    const conflict = await service.fetch('/generate/sdxl', { json: { prompt: 'a lion' }, headers: { 'x-service-async': '1', ...headers } })
    assert.equal(conflict.status, 409)
    assert.equal((await readError(conflict)).code, 'idempotency_conflict')
    const long = await service.fetch('/generate/sdxl', {
      json: { prompt: 'x' },
      headers: { 'x-service-async': '1', 'idempotency-key': 'x'.repeat(256) },
    })
    assert.equal(long.status, 400)
    assert.equal((await submit(service, { prompt: 'x' }, { 'idempotency-key': 'x'.repeat(255) })).answer.status, 202)
  })

  test('headers about deferred work are checked, and refused where they would do nothing', async () => {
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
      { 'x-service-webhook': 'https://me:secret@example.com/hook' },
      { 'x-service-webhook': 'nonsense' },
      { 'x-service-preview': 'maybe' },
    ]) {
      const answer = await send({ ...deferred, ...bad })
      assert.equal(answer.status, 400, JSON.stringify(bad))
      assert.equal((await readError(answer)).param, Object.keys(bad)[0])
    }
    for (const idle of [{ 'x-service-priority': 'low' }, { 'x-service-webhook': 'https://example.com/hook' }])
      assert.equal((await send(idle)).status, 400, JSON.stringify(idle))
    const { queue } = service.store
    const claimed = await queue.claim({ workerId: 'w', models: ['fake-image'], leaseMs: 1000 }, { signal })
    assert.ok(claimed !== null)
  })

  test('routes that cannot answer later say so', async () => {
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

  test('own requests are listed newest first, by page and status', async () => {
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
    for (const query of ['?status=done', '?limit=0', '?limit=101', '?limit=x', '?after=a%20b', '?page=2'])
      assert.equal((await own.fetch(`/v1/requests${query}`)).status, 400, query)
  })

  test('a full queue is 503 with Retry-After', async () => {
    await using own = await startHttpService()
    for (let index = 0; index < 100; index++) await submit(own)
    const refused = await own.fetch('/generate/sdxl', { json: { prompt: 'x' }, headers: { 'x-service-async': '1' } })
    assert.equal(refused.status, 503)
    assert.equal((await readError(refused)).code, 'server_is_overloaded')
    assert.match(refused.headers.get('retry-after') ?? '', /^[1-9]\d*$/)
  })

  test('a pending request is cancelled at once, and its stored error comes back', async () => {
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

suite('deferred requests with a worker', () => {
  let service: HttpService
  before(async () => {
    service = await startHttpService({ worker: true })
  })
  after(() => service[Symbol.asyncDispose]())

  test('the stored output is the synchronous answer, byte for byte the same on every fetch', async () => {
    const json = { prompt: 'a tiger', seed: 3, num_images: 2, image_encoding: 'png' }
    const { id } = await submit(service, json, { accept: 'image/png' })
    const done = await finish(service, id)
    assert.equal(done.status, 'completed')
    assert.equal(done.outcome, 'succeeded')
    assert.equal(done.response_url, `${service.url}/v1/responses/${id}`)
    assert.equal(Date.parse(String(done.expires_at)) - Date.parse(String(done.completed_at)), dayMs)
    assert.equal((await service.fetch(`/v1/requests/${id}`)).headers.get('retry-after'), null)
    const first = await service.fetch(`/v1/responses/${id}`)
    const bytes = Buffer.from(await first.arrayBuffer())
    assert.equal(first.headers.get('content-type'), 'application/json; charset=utf-8')
    assert.equal(first.headers.get('etag'), `"${createHash('sha256').update(bytes).digest('hex')}"`)
    const again = await service.fetch(`/v1/responses/${id}`)
    assert.ok(bytes.equals(Buffer.from(await again.arrayBuffer())))
    const cached = await service.fetch(`/v1/responses/${id}`, { headers: { 'if-none-match': first.headers.get('etag') ?? '' } })
    assert.equal(cached.status, 304)
    const now = await readJson(await service.fetch('/generate/sdxl', { json }))
    const { prediction_time_ms: _, ...stored } = JSON.parse(bytes.toString())
    const { prediction_time_ms: __, ...direct } = now
    assert.deepEqual(stored, direct)
  })

  test('a chat completion by the async header is stored as the chat completion object', async () => {
    const json = { model: 'fake-chat', messages: [{ role: 'user', content: '[say one two]' }] }
    const { id } = await submit(service, json, {}, '/v1/chat/completions')
    await finish(service, id)
    const stored = await readJson(await service.fetch(`/v1/responses/${id}`))
    const direct = await readJson(await service.fetch('/v1/chat/completions', { json }))
    assert.match(String(stored.id), /^cmpl-[0-9a-f]{32}$/)
    assert.deepEqual({ ...stored, id: '', created: 0 }, { ...direct, id: '', created: 0 })
    const streamed = await service.fetch('/v1/chat/completions', { json: { ...json, stream: true }, headers: { 'x-service-async': '1' } })
    assert.equal(streamed.status, 400)
    assert.equal((await readError(streamed)).param, 'stream')
  })

  test('a failed request is completed, carries its error and answers with the error’s own status', async () => {
    const { id } = await submit(service, { prompt: '[fail numerical_error]' })
    const done = await finish(service, id)
    assert.equal(done.outcome, 'failed')
    const stored = await service.fetch(`/v1/responses/${id}`)
    assert.equal(stored.status, 500)
    const error = await readError(stored)
    assert.equal(error.code, 'numerical_error')
    assert.deepEqual(done.error, error)
  })

  test('its life can be followed as events', async () => {
    const { id } = await submit(service, { prompt: 'a tiger', steps: 3 }, { 'x-service-preview': '1' })
    const answer = await service.fetch(`/v1/requests/${id}/events`)
    assert.match(answer.headers.get('content-type') ?? '', /^text\/event-stream/)
    const events = (await answer.text()).trimEnd().split('\n\n')
    for (const event of events) assert.match(event, /^event: (status|progress|preview)\ndata: \{.*\}$/)
    assert.match(events.at(-1) ?? '', /^event: status\ndata: .*"status":"completed".*"outcome":"succeeded"/)
  })

  test('a running request is cancelled at its next step', async () => {
    const { id } = await submit(service, { prompt: '[hang after 2]' })
    const events = await service.fetch(`/v1/requests/${id}/events`)
    let text = ''
    for await (const chunk of events.body ?? []) {
      text += Buffer.from(chunk).toString()
      if (/"status":"running"/.test(text)) break
    }
    await service.fetch(`/v1/requests/${id}`, { method: 'DELETE' })
    const done = await finish(service, id)
    assert.equal(done.outcome, 'cancelled')
  })

  test('an output is gone after its day', async () => {
    const clock = createTestClock()
    await using own = await startHttpService({ clock, worker: true })
    const { id } = await submit(own)
    await clock.advance(1000)
    assert.equal((await own.fetch(`/v1/responses/${id}`)).status, 200)
    clock.jump(clock.now() + dayMs - 2000)
    assert.equal((await own.fetch(`/v1/responses/${id}`)).status, 200)
    clock.jump(clock.now() + 2000)
    const gone = await own.fetch(`/v1/responses/${id}`)
    assert.equal(gone.status, 410)
    assert.equal((await readError(gone)).code, 'response_expired')
    assert.equal((await readJson(await own.fetch(`/v1/requests/${id}`))).status, 'completed')
  })
})
