import assert from 'node:assert/strict'
import { mock, suite, test } from 'node:test'
import type { UseLimits } from '../../src/core/limits/use-limits.ts'
import { createAccount } from '../../src/operations/access/accounts.ts'
import { finish, submit } from '../support/deferred-requests.ts'
import { type HttpService, startHttpService } from '../support/http-service.ts'
import { readError } from '../support/read-json.ts'
import { createTestClock } from '../support/test-clock.ts'

const signal = new AbortController().signal
const dayMs = 24 * 60 * 60 * 1000
/** Three quarters of a minute before midnight. */
const evening = Date.UTC(2026, 0, 1, 23, 59, 15)
const chat = { model: 'fake-chat', messages: [{ role: 'user', content: '[say one two]' }] }
const picture = { prompt: 'a tiger', seed: 3, width: 512, height: 512 }
const textWork = [
  ['/v1/chat/completions', chat],
  ['/v1/chat/completions', { ...chat, stream: true }],
  ['/v1/completions', { model: 'fake-chat', prompt: 'Hello' }],
  ['/v1/embeddings', { model: 'fake-chat', input: 'Hello' }],
] as const
const imageWork = [
  ['/generate/sdxl', { prompt: 'a tiger' }],
  ['/v1/images/generations', { prompt: 'a tiger' }],
] as const

function limit({ store, accountId }: HttpService, limits: Partial<UseLimits>): Promise<boolean> {
  return store.accounts.change(accountId, { by: null, limits }, { signal })
}

async function refusalOf(answer: Response, path: string): Promise<string> {
  assert.equal(answer.status, 429, path)
  const { code, message } = await readError(answer)
  assert.equal(code, 'quota_exceeded', path)
  return message
}

suite('limits of an account', () => {
  test('are read together with the account state, once in four seconds', async () => {
    const clock = createTestClock()
    await using service = await startHttpService({ clock })
    const find = mock.method(service.store.accounts, 'find')
    for (let requests = 0; requests < 3; requests++) await service.fetch('/v1/models')
    assert.equal(find.mock.callCount(), 1)
    await clock.advance(4000)
    await service.fetch('/v1/models')
    assert.equal(find.mock.callCount(), 2)
  })

  test('its requests per minute replace the setting, and apply without one', async () => {
    const clock = createTestClock()
    await using service = await startHttpService({ clock, settings: { requests: { perMinute: 2 } } })
    const other = await createAccount({ ...service.store, clock }, { name: 'Bo', role: 'member' }, { signal })
    const stranger = await service.makeToken(['read'], { accountId: other.id })
    await limit(service, { requestsPerMinute: 3 })
    for (const left of ['2', '1', '0']) {
      const answer = await service.fetch('/v1/models')
      assert.equal(answer.headers.get('x-ratelimit-limit-requests'), '3')
      assert.equal(answer.headers.get('x-ratelimit-remaining-requests'), left)
    }
    const refused = await service.fetch('/v1/models')
    assert.equal((await readError(refused)).code, 'rate_limit_exceeded')
    assert.equal((await service.fetch('/v1/models', { token: stranger })).headers.get('x-ratelimit-limit-requests'), '2')
    await limit(service, { requestsPerMinute: null })
    await clock.advance(5000)
    assert.equal((await service.fetch('/v1/models')).headers.get('x-ratelimit-limit-requests'), '2')

    await using open = await startHttpService({ clock })
    await limit(open, { requestsPerMinute: 1 })
    assert.equal((await open.fetch('/v1/models')).status, 200)
    assert.equal((await open.fetch('/v1/models')).status, 429)
  })

  test('used-up tokens reject every kind of text work until midnight, and nothing else', async () => {
    const clock = createTestClock(evening)
    await using service = await startHttpService({ clock })
    await limit(service, { tokensPerDay: 5 })
    const first = await service.fetch('/v1/chat/completions', { json: chat })
    assert.equal(first.status, 200)
    assert.equal(first.headers.get('x-ratelimit-limit-tokens'), '5')
    assert.equal(first.headers.get('x-ratelimit-remaining-tokens'), '5')
    assert.equal(first.headers.get('x-ratelimit-reset-tokens'), '45s')
    await service.inBooks(1)
    await clock.advance(5000)
    for (const [path, json] of textWork) {
      const refused = await service.fetch(path, { json })
      assert.equal(refused.headers.get('retry-after'), '40')
      assert.equal(refused.headers.get('x-ratelimit-remaining-tokens'), '0')
      const message = await refusalOf(refused, path)
      assert.match(message, /^This account may use 5 tokens a day and has used 5; .* 2026-01-02T00:00:00Z, /)
    }
    const deferred = await service.fetch('/v1/chat/completions', { json: chat, headers: { 'x-service-async': '1' } })
    await refusalOf(deferred, 'deferred')
    assert.equal((await service.fetch('/v1/models')).status, 200)
    assert.equal((await service.fetch('/generate/sdxl', { json: picture })).status, 200)
    await clock.advance(40_000)
    assert.equal((await service.fetch('/v1/chat/completions', { json: chat })).status, 200)
  })

  test('the tighter of the daily and the monthly limit is reported and enforced until it resets', async () => {
    const clock = createTestClock(Date.UTC(2026, 0, 31, 23, 59, 15))
    await using service = await startHttpService({ clock })
    await limit(service, { tokensPerDay: 1000, tokensPerMonth: 5 })
    const first = await service.fetch('/v1/chat/completions', { json: chat })
    assert.equal(first.status, 200)
    assert.equal(first.headers.get('x-ratelimit-limit-tokens'), '5')
    await service.inBooks(1)
    const refused = await service.fetch('/v1/chat/completions', { json: chat })
    assert.match(await refusalOf(refused, 'chat'), /^This account may use 5 tokens a month and has used 5; .* 2026-02-01T00:00:00Z, /)
    await clock.advance(45_000)
    assert.equal((await service.fetch('/v1/chat/completions', { json: chat })).status, 200)
  })

  test('images drawn later count like those drawn at once; Retry-After stays within two minutes', async () => {
    const clock = createTestClock()
    await using service = await startHttpService({ clock, worker: true })
    await limit(service, { imagesPerDay: 2 })
    const { id } = await submit(service, { ...picture, num_images: 2 })
    await finish(service, id)
    await clock.advance(5000)
    for (const [path, json] of imageWork) {
      const refused = await service.fetch(path, { json })
      assert.equal(refused.headers.get('retry-after'), '120')
      assert.equal(refused.headers.get('x-ratelimit-limit-images'), '2')
      assert.match(await refusalOf(refused, path), /2 images a day/)
    }
    await refusalOf(await service.fetch('/generate/sdxl', { json: picture, headers: { 'x-service-async': '1' } }), 'deferred')
    assert.equal((await service.fetch(`/v1/responses/${id}`)).status, 200)
    await limit(service, { imagesPerDay: 3 })
    await clock.advance(5000)
    assert.equal((await service.fetch('/generate/sdxl', { json: picture })).status, 200)
  })

  test('a limit of 0 rejects that work altogether', async () => {
    const clock = createTestClock()
    await using service = await startHttpService({ clock })
    await limit(service, { imagesPerDay: 0 })
    await refusalOf(await service.fetch('/generate/sdxl', { json: picture }), 'today')
    await clock.advance(dayMs)
    await refusalOf(await service.fetch('/generate/sdxl', { json: picture }), 'tomorrow')
    assert.equal((await service.fetch('/v1/chat/completions', { json: chat })).status, 200)
  })
})
