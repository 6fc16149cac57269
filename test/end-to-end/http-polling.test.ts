import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { createAccount } from '../../src/operations/access/accounts.ts'
import { submit } from '../support/deferred-requests.ts'
import { type HttpService, startHttpService } from '../support/http-service.ts'
import { readError, readJson } from '../support/read-json.ts'
import { createTestClock } from '../support/test-clock.ts'

const signal = new AbortController().signal

suite('submitting and polling', () => {
  let service: HttpService
  before(async () => {
    service = await startHttpService()
  })
  after(() => service[Symbol.asyncDispose]())

  test('asynchronous mode is requested by header, alias or preference', async () => {
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

  test('invalid input is rejected before anything is queued', async () => {
    const before = (await readJson(await service.fetch('/v1/requests?limit=100'))).data
    for (const json of [{ prompt: '' }, { prompt: 'x', init_image: 'AAAA' }, { prompt: 'x', loras: { a: 1 } }]) {
      const answer = await service.fetch('/generate/sdxl', { json, headers: { 'x-service-async': '1' } })
      assert.equal(answer.status, 422)
    }
    assert.deepEqual((await readJson(await service.fetch('/v1/requests?limit=100'))).data, before)
  })

  test('a pending request reports its position and when to poll again', async () => {
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

  test('foreign, unknown and malformed ids return byte-identical answers', async () => {
    const { id } = await submit(service)
    const stranger = await createAccount(
      { ...service.store, clock: { now: () => 0, steadyNow: () => 0, wait: () => Promise.resolve() } },
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

  test('a poll can wait, at most a minute, and then returns the ordinary answer', async () => {
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
})
