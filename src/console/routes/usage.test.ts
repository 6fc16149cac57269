import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { startConsoleService } from '../../../test/support/console-service.ts'
import { makeUsageEntry } from '../../../test/support/memory/usage-entry.ts'
import type { UsageEntry } from '../../core/usage.ts'
import type { Usage, UsageReport } from '../contract/usage.ts'

const options = { signal: new AbortController().signal }
const january = (day: number) => Date.UTC(2026, 0, day, 12)
const span = 'from=2026-01-01&to=2026-01-31'

const wanted = {
  id: 'r',
  tokenId: null,
  running: true,
  unit: 'tokens',
  tokens: { least: 1, most: 30 },
  promptTokens: 0,
  images: 0,
  price: null,
} as const

async function openBooks() {
  const service = await startConsoleService()
  const cookie = await service.join(service.firstCode, 'ada@example.org')
  const nothing = { accountId: service.ownerId, model: 'fake-chat', promptTokens: 0, completionTokens: 0, at: january(1) }
  const book = (change: Partial<UsageEntry>) => service.store.usage.append(makeUsageEntry({ ...nothing, ...change }), options)
  const get = (query: string, path = 'usage') => service.send('GET', `/console/api/${path}?${query}`, { cookie })
  const days = async (query: string) => ((await get(query)).json() as Usage).days
  return { ...service, cookie, book, get, days }
}

describe('usage', () => {
  test('reports what is left of the user’s limits: completed requests with their use, running ones with their maximum', async () => {
    const { book, get, store, clock, ownerId } = await openBooks()
    const budgets = async () => ((await get(`${span}&of=everyone`)).json() as Usage).budgets
    assert.deepEqual(await budgets(), [])
    await store.accounts.change(ownerId, { by: null, limits: { tokensPerDay: 100 } }, options)
    await book({ promptTokens: 10, completionTokens: 5, at: clock.now() })
    await store.ledger.reserve({ ...wanted, accountId: ownerId }, options)
    assert.deepEqual(await budgets(), [{ of: 'account', unit: 'tokens', per: 'day', limit: 100, used: 15, reserved: 30 }])
  })

  test('is summed per day and model, with failures counted as requests', async () => {
    const { book, days } = await openBooks()
    await book({ promptTokens: 10, completionTokens: 5 })
    await book({ promptTokens: 1, outcome: 'failed' })
    await book({ model: 'fake-image', kind: 'image', images: 4, at: january(2) })
    const found = await days(`${span}&of=me`)
    assert.deepEqual(
      found.map(({ day, model, requests, failures, promptTokens, completionTokens, images }) => [
        `${day} ${model}`,
        [requests, failures, promptTokens, completionTokens, images],
      ]),
      [
        ['2026-01-01 fake-chat', [2, 1, 11, 5, 0]],
        ['2026-01-02 fake-image', [1, 0, 0, 0, 4]],
      ],
    )
  })

  test("covers the requested days of the user's own account, or of all accounts", async () => {
    const { book, days, ownerId } = await openBooks()
    await book({ at: january(1) })
    await book({ at: january(3) })
    await book({ accountId: 'somebody-else', at: january(2) })
    const daysOf = async (query: string) => (await days(query)).map(({ day }) => day)
    assert.deepEqual(await daysOf('from=2026-01-02&to=2026-01-03&of=me'), ['2026-01-03'])
    assert.deepEqual(await daysOf(`${span}&of=me`), ['2026-01-01', '2026-01-03'])
    const everybody = await days(`${span}&of=everyone`)
    assert.deepEqual(new Set(everybody.map(({ accountId }) => accountId)), new Set([ownerId, 'somebody-else']))
  })

  test('is available as CSV', async () => {
    const { book, get, ownerId } = await openBooks()
    await book({ model: '=cmd()', promptTokens: 3 })
    const answer = await get(`${span}&of=me`, 'usage.csv')
    assert.equal(answer.headers['content-disposition'], 'attachment; filename="sepia-usage.csv"')
    assert.match(answer.body, new RegExp(`^day,account,.*\\r\\n2026-01-01,${ownerId},'=cmd\\(\\),1,0,0,3,0,0,0\\.00\\r\\n$`))
  })

  test('is reported per user and per token, with names, as JSON and as CSV; for everyone only to owners', async () => {
    const { book, get, ownerId } = await openBooks()
    await book({ durationMs: 8, cost: 1_500_000 })
    await book({ accountId: 'somebody-gone', tokenId: 'deleted', durationMs: 64 })
    const rows = async (query: string) => ((await get(query, 'usage/report')).json() as UsageReport).rows
    const people = await rows(`${span}&of=everyone&by=account`)
    assert.deepEqual(
      new Set(people.map(({ accountName, requests }) => `${accountName} ${requests}`)),
      new Set(['Ada 1', 'somebody-gone 1']),
    )
    const [own, ...others] = await rows(`${span}&of=me&by=token,day`)
    assert.deepEqual([own?.keys, own?.tokenName, own?.latency?.p95, others], [{ token: '', day: '2026-01-01' }, '', 8, []])
    const table = await get(`${span}&of=everyone&by=account,token`, 'usage/report.csv')
    assert.match(table.body, /^account,account_name,token,token_name,requests,.*,first_token_p99_ms\r\n/)
    assert.ok(table.body.includes(`${ownerId},Ada,,,1,0,0,0,0,0,1.50,8,8,8,,,\r\n`), table.body)
    for (const by of ['', 'tokens', 'day,day', 'constructor'])
      assert.equal((await get(`${span}&of=me&by=${by}`, 'usage/report')).statusCode, 422, by)
  })

  test('requires both ends of a period', async () => {
    const { get } = await openBooks()
    for (const query of [
      'of=me',
      'from=2026-01-01&of=me',
      'from=1.1.&to=2.1.&of=me',
      'from=2026-02-30&to=2026-03-01&of=me',
      'from=2026-03-02&to=2026-03-01&of=me',
      `${span}&of=you`,
      `${span}&of=me&page=2`,
    ])
      assert.equal((await get(query)).statusCode, 422, query)
  })
})
