import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { UseLimits } from '../../src/core/limits/use-limits.ts'
import type { Clock } from '../../src/core/ports/clock.ts'
import type { QueueLimits } from '../../src/core/ports/inference-queue.ts'
import type { Store } from '../../src/core/ports/store.ts'
import { createFakeImageModel } from '../../src/runtimes/fake/fake-image-model.ts'
import { createFakeTextModel } from '../../src/runtimes/fake/fake-text-model.ts'
import { createFixedModelPool } from '../../src/runtimes/fake/fixed-model-pool.ts'
import { openPostgresStore } from '../../src/storage/postgres/open-postgres-store.ts'
import { openSqliteStore } from '../../src/storage/sqlite/open-sqlite-store.ts'
import { submit } from '../support/deferred-requests.ts'
import { type HttpService, startHttpService } from '../support/http-service.ts'
import { createDatabase } from '../support/postgres/postgres-databases.ts'
import { withoutPostgres } from '../support/postgres/postgres-server.ts'
import { readError, readJson } from '../support/read-json.ts'
import { createTemporaryFolder } from '../support/temporary-folder.ts'
import { createTestClock } from '../support/test-clock.ts'

const { signal } = new AbortController()
const deferred = { 'x-service-async': '1' }
const picture = { prompt: 'a tiger', seed: 3, width: 512, height: 512 }

async function openSqlite(settings: { readonly clock: Clock; readonly limits: QueueLimits }): Promise<Store> {
  await using stack = new AsyncDisposableStack()
  const folder = stack.use(await createTemporaryFolder())
  const store = stack.use(await openSqliteStore({ ...settings, file: `${folder.path}/sepia.db`, mode: 'service' }))
  const owned = stack.move()
  return { ...store, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}

const openPostgres = async (settings: { readonly clock: Clock; readonly limits: QueueLimits }): Promise<Store> =>
  openPostgresStore({ ...settings, url: await createDatabase(), mode: 'service', time: 'clock' })

const stores = { sqlite: openSqlite, ...(!withoutPostgres && { postgres: openPostgres }) }

const say = (words: string, fields: object = {}) => ({
  model: 'fake-chat',
  messages: [{ role: 'user', content: `[say ${words}]` }],
  ...fields,
})

type Open = (settings: { readonly clock: Clock; readonly limits: QueueLimits }) => Promise<Store> | Store

async function start(open: Open, limits: Partial<UseLimits>): Promise<HttpService> {
  const clock = createTestClock()
  const models = { text: { 'fake-chat': createFakeTextModel({ clock }) }, image: { 'fake-image': createFakeImageModel({ clock }) } }
  const service = await startHttpService({ clock, open, pool: createFixedModelPool(models, { slots: 50 }) })
  await service.store.accounts.change(service.accountId, { by: null, limits }, { signal })
  return service
}

/** Sends a request again that the database was too busy for: fifty at once wait for each other's reservations. */
async function insistOn(send: () => Promise<Response>): Promise<Response> {
  for (;;) {
    const answer = await send()
    if (answer.status !== 503) return answer
    await answer.text()
  }
}

async function usedTokens(answer: Response): Promise<number> {
  if (answer.status !== 200) return 0
  return Number(Object((await readJson(answer)).usage).total_tokens)
}

for (const [name, open] of Object.entries(stores))
  suite(`budgets in ${name}`, () => {
    test('50 concurrent requests never spend more than the 100 tokens of the budget', async () => {
      await using service = await start(open, { tokensPerDay: 100 })
      let spent = 0
      let refused = 0
      // Five tokens each, of the seven that each may use.
      let sent = 0
      const ask = () =>
        insistOn(() => {
          sent += 1
          return service.fetch('/v1/chat/completions', { json: say('one two', { max_tokens: 4 }) })
        })
      for (let round = 0; round < 4; round++) {
        const answers = await Promise.all(Array.from({ length: 50 }, ask))
        for (const answer of answers) {
          if (answer.status === 429) {
            refused += 1
            assert.equal((await readError(answer)).code, 'quota_exceeded')
            assert.match(answer.headers.get('retry-after') ?? '', /^[1-9]\d*$/)
          } else spent += await usedTokens(answer)
        }
        assert.ok(spent <= 100, `${spent} tokens were spent`)
        if (round === 0) assert.ok(spent >= 14 * 5, `${spent} tokens were spent where 14 requests fit at once`)
        await service.settled(sent)
      }
      await service.inBooks(spent / 5)
      const [budget] = await service.store.ledger.budgets({ accountId: service.accountId, tokenId: null }, { signal })
      assert.deepEqual(budget, { of: 'account', unit: 'tokens', per: 'day', limit: 100, used: spent, reserved: 0 })
      assert.ok(spent > 93, 'the budget was used up but for what one request may need')
      assert.ok(refused > 0)
    })

    test('a request for more than the rest is rejected, one without a limit is shortened', async () => {
      await using service = await start(open, { tokensPerDay: 12 })
      const words = 'a b c d e f g h'
      const named = await service.fetch('/v1/chat/completions', { json: say(words, { max_tokens: 8 }) })
      assert.equal(named.status, 429)
      assert.match((await readError(named)).message, /this request may need 17 and 12 are left/)
      const stream = await service.fetch('/v1/chat/completions', { json: say(words, { stream: true, max_tokens: 4 }) })
      assert.equal((await readError(stream)).code, 'quota_exceeded')
      const shortened = await readJson(await service.fetch('/v1/chat/completions', { json: say(words) }))
      const [choice] = shortened.choices as { finish_reason: string; delta: null; message: { content: string } }[]
      assert.deepEqual([choice?.finish_reason, choice?.message.content], ['length', 'a b c'])
      assert.equal(Object(shortened.usage).total_tokens, 12)
      const none = await service.fetch('/v1/chat/completions', { json: say('one') })
      assert.equal(none.status, 429)
      assert.equal(none.headers.get('x-ratelimit-remaining-tokens'), '0')
    })

    test('a caller who leaves a stream is charged for the prompt and the generated text', async () => {
      await using service = await start(open, { tokensPerDay: 100 })
      const leave = new AbortController()
      const json = {
        model: 'fake-chat',
        messages: [{ role: 'user', content: '[hang after 2] a b c d e f g' }],
        stream: true,
        max_tokens: 50,
      }
      const stream = await service.fetch('/v1/chat/completions', { json, signal: leave.signal })
      const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader()
      for (let words = 0; words < 2; ) words += (await reader?.read())?.value?.match(/"content":"[^"]/g)?.length ?? 0
      leave.abort()
      await service.inBooks(1)
      const [budget] = await service.store.ledger.budgets({ accountId: service.accountId, tokenId: null }, { signal })
      assert.deepEqual([budget?.used, budget?.reserved], [10 + 2, 0])
    })

    test('pending pictures count like drawn ones until they are cancelled', async () => {
      await using service = await start(open, { imagesPerDay: 3 })
      const { id } = await submit(service, { ...picture, num_images: 2 })
      const wide = await service.fetch('/generate/sdxl', { json: { ...picture, num_images: 2 } })
      assert.match((await readError(wide)).message, /reserved 2 for running and waiting work; this request may need 2 and 1 are left/)
      assert.equal((await service.fetch('/generate/sdxl', { json: picture })).status, 200)
      assert.equal((await service.fetch('/generate/sdxl', { json: picture, headers: deferred })).status, 429)
      await service.fetch(`/v1/requests/${id}`, { method: 'DELETE' })
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => insistOn(() => service.fetch('/generate/sdxl', { json: picture, headers: deferred }))),
      )
      assert.equal(answers.filter(({ status }) => status === 202).length, 2)
    })

    test('a repeated key reserves its pictures once, and a full queue reserves none', async () => {
      await using service = await start(open, { imagesPerDay: 3 })
      const headers = { ...deferred, 'idempotency-key': 'k' }
      for (let round = 0; round < 4; round++) assert.equal((await service.fetch('/generate/sdxl', { json: picture, headers })).status, 202)
      const [budget] = await service.store.ledger.budgets({ accountId: service.accountId, tokenId: null }, { signal })
      assert.equal(budget?.reserved, 1)
    })

    test('a repeated request gets its first answer when its own reservation has used up the budget', async () => {
      await using service = await start(open, { imagesPerDay: 1 })
      const send = (key: string) => service.fetch('/generate/sdxl', { json: picture, headers: { ...deferred, 'idempotency-key': key } })
      const first = await send('k')
      assert.equal(first.status, 202)
      const again = await send('k')
      assert.deepEqual([again.status, await again.json()], [202, await first.json()])
      assert.equal(again.headers.get('x-ratelimit-remaining-images'), '0')
      const other = await send('other')
      assert.deepEqual([other.status, (await readError(other)).code], [429, 'quota_exceeded'])
      const [budget] = await service.store.ledger.budgets({ accountId: service.accountId, tokenId: null }, { signal })
      assert.equal(budget?.reserved, 1)
    })

    test('pending texts count, and run within their reservation', async () => {
      const clock = createTestClock()
      const pool = createFixedModelPool({ text: { 'fake-chat': createFakeTextModel({ clock }) } })
      await using service = await startHttpService({ clock, open, pool, worker: true })
      await service.store.accounts.change(service.accountId, { by: null, limits: { tokensPerDay: 40 } }, { signal })
      const json = say('one two three', { max_tokens: 3 })
      const answers = await Promise.all(
        Array.from({ length: 12 }, () => service.fetch('/v1/chat/completions', { json, headers: deferred })),
      )
      const taken = await Promise.all(answers.filter(({ status }) => status === 202).map(readJson))
      assert.ok(taken.length >= 1 && taken.length < 12, `${taken.length} were taken`)
      let succeeded = 0
      for (const { response_id: id } of taken) {
        const { outcome } = await readJson(await service.fetch(`/v1/requests/${String(id)}?wait=60`))
        if (outcome === 'succeeded') succeeded += 1
      }
      assert.ok(succeeded >= 1)
      const [budget] = await service.store.ledger.budgets({ accountId: service.accountId, tokenId: null }, { signal })
      assert.deepEqual([budget?.used, budget?.reserved], [succeeded * 7, 0])
      assert.ok(succeeded * 7 <= 40)
    })
  })
