import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Scope } from '../../src/core/access-token.ts'
import { makeAccessTokenText, revokeAccessToken } from '../../src/operations/access/access-tokens.ts'
import { createAccount } from '../../src/operations/access/accounts.ts'
import { startHttpService } from '../support/http-service.ts'
import { readError } from '../support/read-json.ts'
import { createTestClock } from '../support/test-clock.ts'

const signal = new AbortController().signal
const chat = { model: 'fake-chat', messages: [{ role: 'user', content: 'Hello' }] }
const openPaths = ['/healthz', '/readyz', '/openapi.json', '/docs/api', '/docs']
const guardedPaths = [
  '/v1/models',
  '/v1/models/fake-chat',
  '/v1/requests',
  '/v1/requests/some-id',
  '/v1/responses/some-id',
  '/v1/webhooks/secrets',
  '/v1/webhooks/deliveries',
  '/metrics',
]

suite('authentication', () => {
  test('only health checks and the API document are public', async () => {
    await using service = await startHttpService()
    for (const path of openPaths) assert.equal((await service.fetch(path, { token: null })).status, 200, path)
    for (const path of guardedPaths) {
      const answer = await service.fetch(path, { token: null })
      assert.equal(answer.status, 401, path)
      assert.match(answer.headers.get('www-authenticate') ?? '', /^Bearer\b/)
      assert.equal((await readError(answer)).code, 'missing_token')
    }
  })

  test('each invalid token has its own error code, and the answer names Bearer', async () => {
    const clock = createTestClock()
    await using service = await startHttpService({ clock })
    const brief = await service.makeToken(['read'], { expiresAt: clock.now() + 1000 })
    const refused = async (token: string | null, authorization?: string) => {
      const answer = await service.fetch('/v1/models', { token, ...(authorization !== undefined && { headers: { authorization } }) })
      assert.equal(answer.status, 401)
      assert.match(answer.headers.get('www-authenticate') ?? '', /^Bearer\b/)
      return (await readError(answer)).code
    }
    assert.equal(await refused(null), 'missing_token')
    assert.equal(await refused(null, 'Basic dXNlcjpwYXNz'), 'missing_token')
    assert.equal(await refused('sepia_short'), 'invalid_token')
    assert.equal(await refused(makeAccessTokenText()), 'invalid_token')
    assert.equal((await service.fetch('/v1/models', { token: brief })).status, 200)
    await clock.advance(1000)
    assert.equal(await refused(brief), 'token_expired')
  })

  test('a token in x-api-key or api-key is used if the header Authorization has none', async () => {
    await using service = await startHttpService()
    const statusOf = async (headers: Record<string, string>) => (await service.fetch('/v1/models', { token: null, headers })).status
    for (const name of ['x-api-key', 'api-key'])
      for (const written of [service.token, `Bearer ${service.token}`])
        for (const authorization of [undefined, '', 'Bearer', 'bearer '])
          assert.equal(await statusOf({ [name]: written, ...(authorization !== undefined && { authorization }) }), 200, name)
    assert.equal(await statusOf({ 'x-api-key': service.token, authorization: `Bearer ${makeAccessTokenText()}` }), 401)
    assert.equal(await statusOf({ 'x-api-key': '' }), 401)
    for (const [empty, other] of [
      ['api-key', 'x-api-key'],
      ['x-api-key', 'api-key'],
    ] as const)
      assert.equal(await statusOf({ [empty]: ' ', [other]: service.token }), 200)
  })

  test("Azure's paths lead to OpenAI's interface, and nowhere else", async () => {
    await using service = await startHttpService()
    for (const path of ['/openai/deployments/fake-chat/chat/completions?api-version=1', '/openai/v1/chat/completions'])
      assert.equal((await service.fetch(path, { json: chat })).status, 200, path)
    assert.equal((await service.fetch('/openai/models?api-version=1')).status, 200)
    for (const path of ['/openai', '/openai/', '/openai/v1/', '/openai/deployments/x', '/openai//healthz'])
      assert.equal((await service.fetch(path)).status, 404, path)
  })

  test('a revocation takes effect within five seconds', async () => {
    const clock = createTestClock()
    await using service = await startHttpService({ clock })
    assert.equal((await service.fetch('/v1/models')).status, 200)
    const [token] = await service.store.tokens.list(service.accountId, { signal })
    assert.ok(token !== undefined)
    await revokeAccessToken({ ...service.store, clock }, token, { signal })
    await clock.advance(5000)
    const answer = await service.fetch('/v1/models')
    assert.equal(answer.status, 401)
    assert.equal((await readError(answer)).code, 'token_revoked')
  })

  test('a token of a disabled account is rejected within five seconds', async () => {
    const clock = createTestClock()
    await using service = await startHttpService({ clock })
    assert.equal((await service.fetch('/v1/models')).status, 200)
    await service.store.accounts.change(service.accountId, { by: null, disabledAt: clock.now() }, { signal })
    await clock.advance(5000)
    assert.equal((await readError(await service.fetch('/v1/models'))).code, 'invalid_token')
  })

  test('each route requires its scope', async () => {
    await using service = await startHttpService()
    const statuses = async (scopes: readonly Scope[]) => {
      const token = await service.makeToken(scopes)
      const deferred = { headers: { 'x-service-async': '1' } }
      return {
        chat: (await service.fetch('/v1/chat/completions', { json: chat, token })).status,
        completion: (await service.fetch('/v1/completions', { json: { model: 'fake-chat', prompt: 'Hi' }, token })).status,
        embedding: (await service.fetch('/v1/embeddings', { json: { model: 'fake-chat', input: 'Hi' }, token })).status,
        image: (await service.fetch('/generate/sdxl', { json: { prompt: 'a tiger' }, token })).status,
        openAiImage: (await service.fetch('/v1/images/generations', { json: { prompt: 'a tiger' }, token })).status,
        deferredImage: (await service.fetch('/generate/sdxl', { json: { prompt: 'a tiger' }, token, ...deferred })).status,
        models: (await service.fetch('/v1/models', { token })).status,
        list: (await service.fetch('/v1/requests', { token })).status,
        metrics: (await service.fetch('/metrics', { token })).status,
      }
    }
    const text = { chat: 200, completion: 200, embedding: 200 }
    const image = { image: 200, openAiImage: 200, deferredImage: 202 }
    const noText = { chat: 403, completion: 403, embedding: 403 }
    const noImage = { image: 403, openAiImage: 403, deferredImage: 403 }
    assert.deepEqual(await statuses(['text']), { ...text, ...noImage, models: 200, list: 403, metrics: 403 })
    assert.deepEqual(await statuses(['image']), { ...noText, ...image, models: 200, list: 403, metrics: 403 })
    assert.deepEqual(await statuses(['read']), { ...noText, ...noImage, models: 200, list: 200, metrics: 200 })
  })

  test('a deferred request needs the scope read or that of its work to be read, and that of its work to be cancelled', async () => {
    await using service = await startHttpService()
    const submitted = await service.fetch('/generate/sdxl', { json: { prompt: 'a tiger' }, headers: { 'x-service-async': '1' } })
    const path = new URL(submitted.headers.get('location') ?? '').pathname
    const poll = async (scope: Scope, method: string) =>
      (await service.fetch(path, { method, token: await service.makeToken([scope]) })).status
    assert.equal(await poll('image', 'GET'), 200)
    assert.equal(await poll('read', 'GET'), 200)
    assert.equal(await poll('text', 'GET'), 403)
    assert.equal(await poll('read', 'DELETE'), 403)
    assert.equal(await poll('text', 'DELETE'), 403)
    assert.equal(await poll('image', 'DELETE'), 200)
  })

  test('the last use of a token is written at most once a minute', async () => {
    const clock = createTestClock()
    await using service = await startHttpService({ clock })
    const lastUsed = async () => (await service.store.tokens.list(service.accountId, { signal }))[0]?.lastUsedAt
    const start = clock.now()
    await service.fetch('/v1/models')
    await clock.advance(59_000)
    await service.fetch('/v1/models')
    assert.equal(await lastUsed(), start)
    await clock.advance(1000)
    await service.fetch('/v1/models')
    assert.equal(await lastUsed(), start + 60_000)
  })

  test('a rate limit counts per account and minute and reports the rest', async () => {
    const clock = createTestClock()
    await using service = await startHttpService({ clock, settings: { requests: { perMinute: 2 } } })
    const other = await createAccount({ ...service.store, clock }, { name: 'Bo', role: 'member' }, { signal })
    const first = await service.fetch('/v1/models')
    assert.equal(first.headers.get('x-ratelimit-limit-requests'), '2')
    assert.equal(first.headers.get('x-ratelimit-remaining-requests'), '1')
    assert.match(first.headers.get('x-ratelimit-reset-requests') ?? '', /^(1m0|\d+)s$/)
    await service.fetch('/v1/models')
    const third = await service.fetch('/v1/models')
    assert.equal(third.status, 429)
    assert.equal((await readError(third)).code, 'rate_limit_exceeded')
    const seconds = Number(third.headers.get('retry-after'))
    assert.ok(Number.isInteger(seconds) && seconds >= 1 && seconds <= 60)
    assert.equal(third.headers.get('x-ratelimit-remaining-requests'), '0')
    const stranger = await service.makeToken(['read'], { accountId: other.id })
    assert.equal((await service.fetch('/v1/models', { token: stranger })).status, 200)
    await clock.advance(seconds * 1000)
    assert.equal((await service.fetch('/v1/models')).status, 200)
  })
})
