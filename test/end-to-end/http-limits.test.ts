import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { AccountLimits, UseLimits } from '../../src/core/limits/use-limits.ts'
import { createFakeCatalog, describeFakeImage, describeFakeText } from '../../src/runtimes/fake/fake-catalog.ts'
import { createFakeTextModel } from '../../src/runtimes/fake/fake-text-model.ts'
import { createFixedModelPool } from '../../src/runtimes/fake/fixed-model-pool.ts'
import { finish, submit } from '../support/deferred-requests.ts'
import { type HttpService, startHttpService } from '../support/http-service.ts'
import { readError, readJson } from '../support/read-json.ts'
import { createTestClock } from '../support/test-clock.ts'

const signal = new AbortController().signal
/** A quarter of a minute into one. */
const start = Date.UTC(2026, 0, 1, 12, 0, 15)
const deferred = { 'x-service-async': '1' }
const picture = { prompt: 'a tiger', seed: 3, width: 512, height: 512 }
const say = (words: string, fields: object = {}) => ({
  model: 'fake-chat',
  messages: [{ role: 'user', content: `[say ${words}]` }],
  ...fields,
})

const limitAccount = ({ store, accountId }: HttpService, limits: Partial<AccountLimits>) =>
  store.accounts.change(accountId, { by: null, limits }, { signal })

/** A second token of the account, with limits. */
async function limitedToken(service: HttpService, limits: Partial<UseLimits>): Promise<string> {
  // Tokens made in one moment are listed in any order.
  const known = (await service.store.tokens.list(service.accountId, { signal })).map(({ id }) => id)
  const text = await service.makeToken(['text', 'image', 'read'])
  const token = (await service.store.tokens.list(service.accountId, { signal })).find(({ id }) => !known.includes(id))
  await service.store.tokens.limit({ id: token?.id ?? '', accountId: service.accountId }, limits, { signal })
  return text
}

suite('limits of an access token', () => {
  test('its requests per minute apply beside those of its account, and the headers report the tighter limit', async () => {
    const clock = createTestClock(start)
    await using service = await startHttpService({ clock })
    const token = await limitedToken(service, { requestsPerMinute: 2 })
    await limitAccount(service, { requestsPerMinute: 6 })
    const left = async (own?: string) => {
      const answer = await service.fetch('/v1/models', own === undefined ? {} : { token: own })
      return [answer.status, answer.headers.get('x-ratelimit-limit-requests'), answer.headers.get('x-ratelimit-remaining-requests')]
    }
    assert.deepEqual(await left(token), [200, '2', '1'])
    assert.deepEqual(await left(token), [200, '2', '0'])
    assert.deepEqual(await left(token), [429, '2', '0'])
    assert.deepEqual(await left(), [200, '6', '2'])
    const refused = await service.fetch('/v1/models', { token })
    assert.match((await readError(refused)).message, /^Send at most 2 requests a minute with this access token; try again in 45 seconds/)
    assert.equal(refused.headers.get('retry-after'), '45')
    await clock.advance(45_000)
    assert.deepEqual(await left(token), [200, '2', '1'])
  })

  test('its daily tokens limit only this token, and the usage reports them', async () => {
    await using service = await startHttpService({ clock: createTestClock(start) })
    const token = await limitedToken(service, { tokensPerDay: 5 })
    await limitAccount(service, { tokensPerDay: 100 })
    const first = await service.fetch('/v1/chat/completions', { json: say('one two', { max_tokens: 2 }), token })
    assert.deepEqual([first.status, first.headers.get('x-ratelimit-remaining-tokens')], [200, '5'])
    await service.inBooks(1)
    const refused = await service.fetch('/v1/chat/completions', { json: say('one two'), token })
    assert.match((await readError(refused)).message, /^This access token may use 5 tokens a day and has used 5/)
    assert.equal((await service.fetch('/v1/chat/completions', { json: say('one two') })).status, 200)
    await service.inBooks(2)
    const { budgets } = await readJson(await service.fetch('/v1/usage', { token }))
    assert.deepEqual(budgets, [
      { of: 'account', unit: 'tokens', per: 'day', limit: 100, used: 10, reserved: 0, left: 90 },
      { of: 'token', unit: 'tokens', per: 'day', limit: 5, used: 5, reserved: 0, left: 0 },
    ])
  })

  test('its deferred requests count as its own', async () => {
    await using service = await startHttpService({ clock: createTestClock(start), worker: true })
    const token = await limitedToken(service, { imagesPerDay: 2 })
    const answer = await service.fetch('/generate/sdxl', { json: { ...picture, num_images: 2 }, headers: deferred, token })
    const { response_id: id } = await readJson(answer)
    const full = await service.fetch('/generate/sdxl', { json: picture, headers: deferred, token })
    assert.match((await readError(full)).message, /^This access token may use 2 images a day/)
    await finish(service, String(id))
    const spent = await service.fetch('/generate/sdxl', { json: picture, token })
    assert.match((await readError(spent)).message, /has used 2;/)
    assert.equal((await service.fetch('/generate/sdxl', { json: picture })).status, 200)
  })
})

suite('limits per minute and concurrency', () => {
  test('tokens per minute reject until the next one, and shorten nothing that fits into a whole minute', async () => {
    const clock = createTestClock(start)
    await using service = await startHttpService({ clock })
    await limitAccount(service, { tokensPerMinute: 20 })
    const ask = () => service.fetch('/v1/chat/completions', { json: say('one two three', { max_tokens: 4 }) })
    const first = await ask()
    assert.deepEqual(
      ['limit', 'remaining', 'reset'].map((name) => first.headers.get(`x-ratelimit-${name}-tokens`)),
      ['20', '20', '45s'],
    )
    await service.inBooks(1)
    assert.equal((await ask()).status, 200)
    await service.inBooks(2)
    const refused = await ask()
    const { code, message } = await readError(refused)
    assert.equal(code, 'rate_limit_exceeded')
    assert.match(message, /may use 20 tokens a minute and has used 14; this request may need 8 and 6 are left; .* 2026-01-01T12:01:00Z/)
    assert.equal(refused.headers.get('retry-after'), '45')
    const open = await service.fetch('/v1/chat/completions', { json: say('a b c d e f g h i j k l m n o p') })
    assert.equal((await readError(open)).code, 'rate_limit_exceeded')
    await clock.advance(45_000)
    const shortened = await readJson(await service.fetch('/v1/chat/completions', { json: say('a b c d e f g h i j k l m n o p') }))
    assert.equal(Object(shortened.usage).total_tokens, 20)
    await clock.advance(60_000)
    const never = await service.fetch('/v1/chat/completions', { json: say('a', { max_tokens: 100 }) })
    assert.equal((await readError(never)).code, 'quota_exceeded')
  })

  test('requests in work, including streams, are limited, and the next one is rejected with the number', async () => {
    const clock = createTestClock(start)
    const pool = createFixedModelPool({ text: { 'fake-chat': createFakeTextModel({ clock }) } }, { slots: 1 })
    await using service = await startHttpService({ clock, pool })
    await limitAccount(service, { concurrentRequests: 2 })
    const leave = new AbortController()
    const hang = say('a', { stream: true })
    const json = { ...hang, messages: [{ role: 'user', content: '[hang after 1] a b c' }] }
    // The second waits for the slot and counts all the same.
    const one = service.fetch('/v1/chat/completions', { json, signal: leave.signal })
    const two = service.fetch('/v1/chat/completions', { json, signal: leave.signal })
    const both = Promise.allSettled([one, two])
    await service.received(2)
    await one
    await reservedRequests(service, 2)
    const refused = await service.fetch('/v1/chat/completions', { json: say('a') })
    const { code, message } = await readError(refused)
    assert.equal(code, 'concurrency_limit_exceeded')
    assert.match(message, /^This account has reached its limit of 2 requests at once/)
    assert.equal(refused.headers.get('retry-after'), '5')
    const { budgets } = await readJson(await service.fetch('/v1/usage'))
    assert.deepEqual(budgets, [{ of: 'account', unit: 'requests', per: 'moment', limit: 2, used: 0, reserved: 2, left: 0 }])
    leave.abort()
    await both
    await service.inBooks(2)
    assert.equal((await service.fetch('/v1/chat/completions', { json: say('a') })).status, 200)
  })

  test('deferred requests wait for a free place in the concurrency limit, and all end', async () => {
    const clock = createTestClock(start)
    const { pool, most } = countingPool(clock)
    await using service = await startHttpService({ clock, pool, worker: true })
    await limitAccount(service, { concurrentRequests: 1, tokensPerMinute: 1000 })
    const ids: string[] = []
    for (let index = 0; index < 4; index++) {
      const answer = await service.fetch('/v1/chat/completions', { json: say('one two'), headers: deferred })
      ids.push(String((await readJson(answer)).response_id))
    }
    for (const id of ids) {
      let outcome: unknown
      while (outcome === undefined) {
        await clock.advance(1000)
        outcome = (await readJson(await service.fetch(`/v1/requests/${id}`))).outcome
      }
      assert.equal(outcome, 'succeeded')
    }
    assert.equal(most(), 1)
  })
})

suite('limits on what an account holds', () => {
  test('its own limit of open streams replaces the general one', async () => {
    const clock = createTestClock(start)
    await using service = await startHttpService({ clock, settings: { accounts: { streams: 1 } } })
    await limitAccount(service, { openStreams: 2 })
    const leave = new AbortController()
    const json = { model: 'fake-chat', stream: true, messages: [{ role: 'user', content: '[hang after 1] a b c' }] }
    const stream = () => service.fetch('/v1/chat/completions', { json, signal: leave.signal })
    assert.deepEqual([(await stream()).status, (await stream()).status], [200, 200])
    const refused = await stream()
    const { code, message } = await readError(refused)
    assert.equal(code, 'concurrency_limit_exceeded')
    assert.match(message, /^This account has reached its limit of 2 open streams \(its own limit\)/)
    leave.abort()
  })
})

suite('money budgets', () => {
  const priced = createFakeCatalog([
    describeFakeText({ price: { promptTokens: 1_000_000, completionTokens: 2_000_000, image: 0 } }),
    describeFakeImage({ price: { promptTokens: 0, completionTokens: 0, image: 40_000 } }),
  ])

  test('are charged by the prices of the models, which are recorded with the usage', async () => {
    await using service = await startHttpService({ clock: createTestClock(start), catalog: priced })
    await limitAccount(service, { moneyPerDay: 100_000 })
    assert.equal((await service.fetch('/generate/sdxl', { json: { ...picture, num_images: 2 } })).status, 200)
    await service.inBooks(1)
    const refused = await service.fetch('/generate/sdxl', { json: picture })
    const { code, message } = await readError(refused)
    assert.equal(code, 'quota_exceeded')
    assert.match(message, /^This account may spend 0\.10 a day and has spent 0\.08; this request may need 0\.04 and 0\.02 are left/)
    assert.equal((await service.fetch('/v1/chat/completions', { json: say('one two', { max_tokens: 2 }) })).status, 200)
    await service.inBooks(2)
    const { data, budgets } = await readJson(await service.fetch('/v1/usage'))
    assert.deepEqual(
      (data as { model: string; cost: number }[]).map(({ model, cost }) => [model, cost]),
      [
        ['fake-chat', 0.000007],
        ['fake-image', 0.08],
      ],
    )
    assert.deepEqual(budgets, [{ of: 'account', unit: 'money', per: 'day', limit: 0.1, used: 0.080007, reserved: 0, left: 0.019993 }])
  })

  test('are never overspent by 50 concurrent texts, and shorten texts without a limit', async () => {
    await using service = await startHttpService({ clock: createTestClock(start), catalog: priced })
    await limitAccount(service, { moneyPerMonth: 100 })
    const ask = () => service.fetch('/v1/chat/completions', { json: say('one two', { max_tokens: 4 }) })
    const answers = await Promise.all(Array.from({ length: 50 }, ask))
    const served = answers.filter(({ status }) => status === 200).length
    assert.ok(served >= 1 && served * 7 <= 100, `${served} were served`)
    await service.settled(50)
    await service.inBooks(served)
    const holder = { accountId: service.accountId, tokenId: null }
    const [budget] = await service.store.ledger.budgets(holder, { signal })
    assert.deepEqual([budget?.used, budget?.reserved], [served * 7, 0])
    await limitAccount(service, { moneyPerMonth: served * 7 + 8 + 5 })
    const answer = await readJson(await service.fetch('/v1/chat/completions', { json: say('a b c d e f g') }))
    assert.deepEqual(Object(answer.usage).completion_tokens, 2)
  })

  test('do not apply to a model without a price', async () => {
    await using service = await startHttpService({ clock: createTestClock(start) })
    await limitAccount(service, { moneyPerDay: 0 })
    assert.equal((await service.fetch('/v1/chat/completions', { json: say('one two') })).status, 200)
    await submit(service, picture)
  })
})

/** Resolves when so many requests of the account count as in work. */
async function reservedRequests({ store, accountId }: HttpService, count: number): Promise<void> {
  const reserved = async () => (await store.ledger.budgets({ accountId, tokenId: null }, { signal }))[0]?.reserved
  while ((await reserved()) !== count) await new Promise((resolve) => setImmediate(resolve))
}

/** A pool that notes how many texts ran at once. */
function countingPool(clock: ReturnType<typeof createTestClock>) {
  const model = createFakeTextModel({ clock, tokenDelayMs: 100 })
  let running = 0
  let most = 0
  const generate: typeof model.generate = async function* (request, options) {
    most = Math.max(most, ++running)
    try {
      yield* model.generate(request, options)
    } finally {
      running -= 1
    }
  }
  return { pool: createFixedModelPool({ text: { 'fake-chat': { ...model, generate } } }, { slots: 8 }), most: () => most }
}
