import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, suite, test } from 'node:test'
import { finish, submit } from '../support/deferred-requests.ts'
import { type HttpService, startHttpService } from '../support/http-service.ts'
import { readError, readJson } from '../support/read-json.ts'
import { createTestClock } from '../support/test-clock.ts'

const dayMs = 24 * 60 * 60 * 1000

suite('deferred requests with a worker', () => {
  let service: HttpService
  before(async () => {
    service = await startHttpService({ worker: true })
  })
  after(() => service[Symbol.asyncDispose]())

  test('the stored output equals the synchronous answer, byte for byte on every fetch', async () => {
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

  test('a chat completion with the async header is stored as a chat completion object', async () => {
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

  test('a failed request is completed and returns its error with the status of the error', async () => {
    const { id } = await submit(service, { prompt: '[fail numerical_error]' })
    const done = await finish(service, id)
    assert.equal(done.outcome, 'failed')
    const stored = await service.fetch(`/v1/responses/${id}`)
    assert.equal(stored.status, 500)
    const error = await readError(stored)
    assert.equal(error.code, 'numerical_error')
    assert.deepEqual(done.error, error)
  })

  test('a failed text request is polled and followed with its error and what it had written, which its output does not have', async () => {
    const fields = { model: 'fake-chat', logprobs: true, n: 2 }
    const json = { ...fields, messages: [{ role: 'user', content: '[think Hm.] [say one two three] [fail inference_timeout after 2]' }] }
    const { id } = await submit(service, json, {}, '/v1/chat/completions')
    const done = await finish(service, id)
    const { id: chatId, created, choices, usage, ...partial } = Object(done.partial_output)
    assert.match(chatId, /^cmpl-[0-9a-f]{32}$/)
    assert.equal(typeof created, 'number')
    assert.deepEqual(partial, { model: 'fake-chat', object: 'chat.completion', system_fingerprint: null })
    const message = { role: 'assistant', content: 'one two', reasoning_content: 'Hm.', function_call: null }
    assert.deepEqual(
      choices,
      [0, 1].map((index) => ({ index, message, delta: null, finish_reason: null })),
    )
    assert.deepEqual([usage.completion_tokens, Object(done.error).code], [6, 'inference_timeout'])
    const followed = await (await service.fetch(`/v1/requests/${id}/events`)).text()
    assert.deepEqual(JSON.parse(/^event: status\ndata: (.*)\n\n$/.exec(followed)?.[1] ?? ''), done)
    const stored = await service.fetch(`/v1/responses/${id}`)
    assert.equal(stored.status, 504)
    assert.deepEqual(await readError(stored), done.error)
    const { data } = await readJson(await service.fetch('/v1/requests?limit=1'))
    const { partial_output: _, ...listed } = done
    assert.deepEqual(data, [listed])
  })

  test('what a failed request had written is gone after a day', async () => {
    const clock = createTestClock()
    await using own = await startHttpService({ clock, worker: true })
    const json = { model: 'fake-chat', messages: [{ role: 'user', content: '[say one] [fail inference_timeout after 1]' }] }
    const { id } = await submit(own, json, {}, '/v1/chat/completions')
    const poll = async () => readJson(await own.fetch(`/v1/requests/${id}`))
    while ((await poll()).status !== 'completed') await clock.advance(1)
    assert.ok((await poll()).partial_output)
    clock.jump(clock.now() + dayMs)
    const { outcome, partial_output: written } = await poll()
    assert.deepEqual([outcome, written], ['failed', undefined])
  })

  test('the states of a request are sent as events', async () => {
    const { id } = await submit(service, { prompt: 'a tiger', steps: 3 }, { 'x-service-preview': '1' })
    const answer = await service.fetch(`/v1/requests/${id}/events`)
    assert.match(answer.headers.get('content-type') ?? '', /^text\/event-stream/)
    const events = (await answer.text()).trimEnd().split('\n\n')
    for (const event of events) assert.match(event, /^event: (status|progress|preview)\ndata: \{.*\}$/)
    assert.match(events.at(-1) ?? '', /^event: status\ndata: .*"status":"completed".*"outcome":"succeeded"/)
  })

  test('the text of a chat model is streamed as it is written', async () => {
    const json = { model: 'fake-chat', messages: [{ role: 'user', content: '[say one two three] [hang after 2]' }] }
    const { id } = await submit(service, json, {}, '/v1/chat/completions')
    const written = (followed: string) =>
      [...followed.matchAll(/^event: text\ndata: (.*)$/gm)].map(([, data = '']) => JSON.parse(data).choices[0].delta.content).join('')
    // A later reader also gets it from the beginning.
    for (const reader of ['first', 'second']) {
      let followed = ''
      for await (const chunk of (await service.fetch(`/v1/requests/${id}/events`)).body ?? []) {
        followed += Buffer.from(chunk).toString()
        if (written(followed) === 'one two') break
      }
      assert.equal(written(followed), 'one two', reader)
    }
    await service.fetch(`/v1/requests/${id}`, { method: 'DELETE' })
    assert.equal((await finish(service, id)).outcome, 'cancelled')
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

  test('an output is gone after a day', async () => {
    const clock = createTestClock()
    await using own = await startHttpService({ clock, worker: true })
    const { id } = await submit(own)
    while ((await own.fetch(`/v1/responses/${id}`)).status === 409) await clock.advance(1)
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
