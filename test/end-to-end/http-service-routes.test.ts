import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createSystemClock } from '../../src/composition/system-clock.ts'
import { noLimits } from '../../src/core/limits/use-limits.ts'
import { createAccount } from '../../src/operations/access/accounts.ts'
import { createFakeTextModel } from '../../src/runtimes/fake/fake-text-model.ts'
import { createFixedModelPool } from '../../src/runtimes/fake/fixed-model-pool.ts'
import { startHttpService } from '../support/http-service.ts'
import { readJson } from '../support/read-json.ts'
import { createTestClock } from '../support/test-clock.ts'

const { signal } = new AbortController()

/** A service whose pool records loads and unloads. */
async function start() {
  const reported: string[] = []
  const pool = createFixedModelPool({ text: { 'fake-chat': createFakeTextModel({ clock: createSystemClock() }) }, image: {} })
  const service = await startHttpService({
    pool: {
      ...pool,
      load: async (model) => reported.push(`load ${model}`) > 0,
      unload: async (model) => reported.push(`unload ${model}`) > 0,
    },
  })
  return { service, reported, [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() }
}

describe('loading and unloading', () => {
  test('requires an owner and a token with full scope, and is recorded in the audit log', async () => {
    await using started = await start()
    const { service, reported } = started
    for (const verb of ['load', 'unload']) {
      const response = await service.fetch(`/models/${verb}`, { json: { model: 'fake-chat' } })
      assert.equal(response.status, 200)
      const { id }: { id: string } = JSON.parse(await response.text())
      assert.equal(id, 'fake-chat')
    }
    assert.deepEqual(reported, ['load fake-chat', 'unload fake-chat'])
    const entries = await service.store.audit.list({ before: null, limit: 2 }, { signal })
    assert.deepEqual(
      entries.map(({ action, subject, accountId }) => [action, subject, accountId]),
      [
        ['model-unloaded', 'fake-chat', service.accountId],
        ['model-loaded', 'fake-chat', service.accountId],
      ],
    )
  })

  test('is rejected for members and for narrower tokens of owners, before the body is read', async () => {
    await using started = await start()
    const { service, reported } = started
    const member = await createAccount({ ...service.store, clock: createSystemClock() }, { name: 'Bo', role: 'member' }, { signal })
    const tokens = [
      await service.makeToken(['text', 'image', 'read'], { accountId: member.id }),
      await service.makeToken(['text', 'image']),
      await service.makeToken(['read']),
    ]
    for (const token of tokens) {
      const response = await service.fetch('/models/unload', { json: { model: 'fake-chat' }, token })
      assert.equal(response.status, 403)
    }
    assert.deepEqual(reported, [])
  })
})

describe('GET /v1/usage', () => {
  test('returns sums by the requested fields, with latencies, of one account only', async () => {
    const clock = createTestClock(Date.UTC(2026, 0, 2, 9))
    const pool = createFixedModelPool({ text: { 'fake-chat': createFakeTextModel({ clock, tokenDelayMs: 100 }) } })
    await using service = await startHttpService({ clock, pool })
    const requested = service.fetch('/v1/chat/completions', {
      json: { model: 'fake-chat', messages: [{ role: 'user', content: '[say a b]' }] },
    })
    for (let tokens = 0; tokens < 2; tokens++) {
      await clock.waiting(2)
      await clock.advance(100)
    }
    assert.equal((await requested).status, 200)
    await service.inBooks(1)
    const [token] = await service.store.tokens.list(service.accountId, { signal })
    const read = async (query: string) => (await readJson(await service.fetch(`/v1/usage?${query}`))).data
    const counts = { requests: 1, failures: 0, refusals: 0, prompt_tokens: 3, completion_tokens: 2, images: 0, cost: 0 }
    const reported = { latency_ms: { p50: 215, p95: 215, p99: 215 }, first_token_ms: { p50: 108, p95: 108, p99: 108 } }
    const days = 'from=2026-01-01&to=2026-01-03'
    assert.deepEqual(await read(`${days}&by=token,hour`), [
      { token: token?.id, token_name: 'test', hour: '2026-01-02T09', ...counts, ...reported },
    ])
    assert.deepEqual(await read(`${days}&by=model`), [{ model: 'fake-chat', ...counts, ...reported }])
    assert.deepEqual(await read('from=2026-01-03&to=2026-01-03&by=model'), [])
    const other = await createAccount({ ...service.store, clock }, { name: 'Bo', role: 'owner' }, { signal })
    const theirs = await service.fetch(`/v1/usage?${days}&by=token`, { token: await service.makeToken(['read'], { accountId: other.id }) })
    assert.deepEqual((await readJson(theirs)).data, [])
  })

  test('shows an account only its own days and budgets', async () => {
    await using service = await startHttpService()
    const options = { signal }
    await service.store.accounts.change(service.accountId, { by: null, limits: { ...noLimits, tokensPerDay: 1000 } }, options)
    await (await service.fetch('/v1/chat/completions', { json: { model: 'fake-chat', messages: [{ role: 'user', content: 'a' }] } })).text()
    await service.inBooks(1)
    const read = async (token: string) => {
      const answer: { data: { model: string; requests: number; completion_tokens: number }[]; budgets: { left: number }[] } = JSON.parse(
        await (await service.fetch('/v1/usage', { token })).text(),
      )
      return answer
    }
    const mine = await read(service.token)
    assert.deepEqual(
      mine.data.map(({ model, requests }) => [model, requests]),
      [['fake-chat', 1]],
    )
    assert.ok((mine.budgets[0]?.left ?? 1000) < 1000)
    const other = await createAccount({ ...service.store, clock: createSystemClock() }, { name: 'Bo', role: 'owner' }, options)
    const theirs = await read(await service.makeToken(['read'], { accountId: other.id }))
    assert.deepEqual(theirs, { object: 'list', data: [], budgets: [] })
    assert.equal((await service.fetch('/v1/usage', { token: await service.makeToken(['text']) })).status, 403)
    for (const query of [
      'from=yesterday',
      'to=2026-13-01',
      'from=1&from=2',
      'by=',
      'by=account',
      'by=token,token',
      'by=token,',
      'by=day&by=hour',
    ])
      assert.equal((await service.fetch(`/v1/usage?${query}`)).status, 400)
  })
})
