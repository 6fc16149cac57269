/**
 * What do budgets and limits cost a chat completion? The service over a fake model that answers at once, on the embedded store, for two accounts in turns: one without limits, one with
 * budgets of a minute, a day and a month and a bound on requests at once. And how long one look at the budgets of each takes, of which a chat takes three to five.
 *
 * Settings: ROUNDS.
 */
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import autocannon from 'autocannon'
import { createSystemClock } from '../../src/composition/system-clock.ts'
import { noLimits } from '../../src/core/limits/use-limits.ts'
import { createAccount } from '../../src/operations/access/accounts.ts'
import { createFakeTextModel } from '../../src/runtimes/fake/fake-text-model.ts'
import { createFixedModelPool } from '../../src/runtimes/fake/fixed-model-pool.ts'
import { openSqliteStore } from '../../src/storage/sqlite/open-sqlite-store.ts'
import { startHttpService } from '../../test/support/http-service.ts'
import { describeMachine, median, summarize } from '../measure.ts'

const rounds = Number(process.env.ROUNDS ?? 7)
const [requests, looks, connections, seconds] = [400, 2000, 32, 2]
const options = { signal: new AbortController().signal }
const body = JSON.stringify({ model: 'fake-chat', messages: [{ role: 'user', content: 'Hello' }], max_tokens: 1 })

const folder = await mkdtemp(join(tmpdir(), 'sepia-budgets-'))
await using stack = new AsyncDisposableStack()
stack.defer(() => rm(folder, { recursive: true, force: true }))
const clock = createSystemClock()
const service = stack.use(
  await startHttpService({
    clock,
    open: (settings) => openSqliteStore({ ...settings, file: join(folder, 'sepia.db'), mode: 'service' }),
    pool: createFixedModelPool({ text: { 'fake-chat': createFakeTextModel({ clock }) } }),
  }),
)
const { store } = service
const limited = await createAccount({ ...store, clock }, { name: 'Bob', role: 'member' }, options)
const much = 1e12
const limits = {
  ...noLimits,
  requestsPerMinute: 1_000_000,
  tokensPerMinute: much,
  tokensPerDay: much,
  tokensPerMonth: much,
  moneyPerDay: much,
  concurrentRequests: 1000,
}
await store.accounts.change(limited.id, { by: null, limits }, options)
const accounts = [
  { name: 'without limits', accountId: service.accountId, token: service.token },
  { name: 'with budgets', accountId: limited.id, token: await service.makeToken(['text'], { accountId: limited.id }) },
].map((account) => ({ ...account, latencies: [] as number[], rates: [] as number[], looks: [] as number[] }))

async function measureLatency(token: string): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const times = new Float64Array(requests)
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  for (const index of times.keys()) {
    const startedAt = performance.now()
    const sent = request(`${service.url}/v1/chat/completions`, { agent, method: 'POST', headers })
    sent.end(body)
    const [response] = await once(sent, 'response')
    if (response.statusCode !== 200) throw new Error(`Answered ${response.statusCode}.`)
    for await (const _ of response);
    times[index] = performance.now() - startedAt
  }
  agent.destroy()
  return summarize(times).p50
}

async function measureRate(token: string): Promise<number> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const url = `${service.url}/v1/chat/completions`
  const result = await autocannon({ url, method: 'POST', connections, duration: seconds, headers, body })
  if (result.non2xx + result.errors > 0) throw new Error(`${result.non2xx} refusals, ${result.errors} errors.`)
  return result.requests.average
}

/** Microseconds of one look at the budgets. */
async function measureLook(accountId: string): Promise<number> {
  const startedAt = performance.now()
  for (let look = 0; look < looks; look++) await store.ledger.budgets({ accountId, tokenId: null }, options)
  return ((performance.now() - startedAt) * 1000) / looks
}

console.log(describeMachine())
for (let round = -1; round < rounds; round++)
  for (const account of round % 2 === 0 ? accounts : accounts.toReversed()) {
    const latency = await measureLatency(account.token)
    const rate = await measureRate(account.token)
    const look = await measureLook(account.accountId)
    if (round < 0) continue
    account.latencies.push(latency)
    account.rates.push(rate)
    account.looks.push(look)
  }
for (const { name, latencies, rates, looks: taken } of accounts)
  console.log(
    `${name.padEnd(15)} p50 ${median(latencies).toFixed(3)} ms one at a time; ${connections} connections ${Math.round(median(rates))}/s; ` +
      `one look ${median(taken).toFixed(1)} µs (medians of ${rounds} rounds)`,
  )
const [free, bound] = accounts.map(({ latencies, rates }) => ({ latency: median(latencies), rate: median(rates) }))
if (free && bound)
  console.log(
    `budgets add ${(bound.latency - free.latency).toFixed(3)} ms one at a time and ${(1e6 / bound.rate - 1e6 / free.rate).toFixed(0)} µs a request under load`,
  )
