import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { FastifyReply } from 'fastify'
import { createSystemClock } from '../../src/composition/system-clock.ts'
import { noLimits } from '../../src/core/limits/use-limits.ts'
import { AccountPlaces } from '../../src/http/limits/account-places.ts'
import { RateLimiter } from '../../src/http/limits/rate-limit.ts'
import { openPostgresStore, type PostgresStore } from '../../src/storage/postgres/open-postgres-store.ts'
import { roomy } from '../conformance/store-factory.ts'
import { makeUsageEntry } from '../support/memory/usage-entry.ts'
import { insist } from '../support/postgres/insist.ts'
import { createDatabase } from '../support/postgres/postgres-databases.ts'
import { withoutPostgres } from '../support/postgres/postgres-server.ts'
import { makeSubmission } from '../support/submission.ts'
import { createTestClock } from '../support/test-clock.ts'

async function openNodes(many: number): Promise<{ readonly nodes: readonly PostgresStore[] } & AsyncDisposable> {
  await using undo = new AsyncDisposableStack()
  const url = await createDatabase()
  const nodes: PostgresStore[] = []
  for (let index = 0; index < many; index++)
    nodes.push(undo.use(await openPostgresStore({ url, clock: createSystemClock(), limits: roomy, mode: 'service' })))
  const owned = undo.move()
  return { nodes, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}

const reply = { header: () => reply } as unknown as FastifyReply
const subjects = [{ of: 'account', id: 'a', limit: 100 }] as const

suite('limits of three nodes on PostgreSQL', { skip: withoutPostgres }, () => {
  test('exactly a hundred requests a minute pass for fifty clients on any nodes', async () => {
    await using cluster = await openNodes(3)
    const clock = createTestClock()
    const limiters = cluster.nodes.map(({ counts }) => new RateLimiter({ clock, counts }))
    let passed = 0
    const client = async (number: number) => {
      for (let round = 0; round < 6; round++) {
        const limiter = limiters[(number * 7 + round) % 3]
        await insist(async () => limiter?.count(subjects, reply)).then(
          () => passed++,
          () => {},
        )
      }
    }
    await Promise.all(Array.from({ length: 50 }, (_, number) => client(number)))
    assert.equal(passed, 100)
    await clock.advance(60_000)
    await limiters[0]?.count(subjects, reply)
  })

  test('the limit of open streams applies across all nodes, and a stream ended on one frees a place on another', async () => {
    await using cluster = await openNodes(3)
    const places = cluster.nodes.map(({ counts }) => new AccountPlaces(counts, 40))
    const takeOn = (node: number) => places[node]?.take('a', 'streams').catch(() => null) ?? null
    const taken = (await Promise.all(Array.from({ length: 90 }, (_, index) => takeOn(index % 3)))).filter((place) => place !== null)
    assert.equal(taken.length, 40)
    for (const node of [0, 1, 2]) assert.equal(await takeOn(node), null)
    assert.notEqual(await places[0]?.take('a', 'polls'), null)
    for (const place of taken) place[Symbol.dispose]()
    let onOne = 0
    // Released places are seen by the others within seconds.
    while (onOne < 40) {
      if ((await takeOn(1)) !== null) onOne++
      else await pause(100)
    }
    assert.equal(await takeOn(1), null)
  })

  test('places of a dead node are free again', async () => {
    await using cluster = await openNodes(1)
    const [survivor] = cluster.nodes
    assert.ok(survivor)
    const { database } = survivor
    await database.run(`insert into kept_places (subject, holder, places) values ('streams a', gen_random_uuid(), 2)`)
    const places = new AccountPlaces(survivor.counts, 2)
    await places.take('a', 'streams')
    await places.take('a', 'streams')
    await assert.rejects(places.take('a', 'streams'), { code: 'concurrency_limit_exceeded' })
    await survivor.queue.expire({ signal: new AbortController().signal })
    const rows = await database.all('select places from kept_places')
    assert.deepEqual(
      rows.map(({ places: kept }) => kept),
      [2],
    )
  })

  test('a new budget applies at once on its node and within moments on the others, with one query for several requests', async (context) => {
    await using cluster = await openNodes(2)
    const [near, far] = cluster.nodes
    assert.ok(near && far)
    const options = { signal: new AbortController().signal }
    const account = { id: 'a', name: 'Ada', email: null, role: 'member', createdAt: 1, disabledAt: null, limits: noLimits } as const
    await near.accounts.create(account, options)
    const holder = { accountId: 'a', tokenId: null }
    const statements: string[] = []
    const { all } = far.database
    far.database.all = (sql, ...more) => {
      statements.push(sql)
      return all.call(far.database, sql, ...more)
    }
    // These calls are within the second for which an answer is cached.
    const still = performance.now()
    const stopped = context.mock.method(performance, 'now', () => still)
    for (const { ledger } of [near, far, near, far, far]) assert.deepEqual(await ledger.budgets(holder, options), [])
    stopped.mock.restore()
    assert.equal(statements.length, 1)
    await near.accounts.change('a', { limits: { tokensPerDay: 10 }, by: null }, options)
    assert.equal((await near.ledger.budgets(holder, options)).length, 1)
    while ((await far.ledger.budgets(holder, options)).length === 0) await pause(10)
  })

  test('a request after the last answer is not refused while the usage of that answer is being recorded', async () => {
    await using cluster = await openNodes(1)
    const [node] = cluster.nodes
    assert.ok(node)
    const options = { signal: new AbortController().signal }
    const account = { name: 'Ada', email: null, role: 'member', createdAt: 1, disabledAt: null } as const
    for (const id of ['a', 'b']) await node.accounts.create({ ...account, id, limits: { ...noLimits, concurrentRequests: 1 } }, options)
    const reserve = (accountId: string, id: string) =>
      node.ledger.reserve(
        {
          ...{ id, accountId, tokenId: null, running: true, unit: 'tokens' },
          ...{ tokens: { least: 1, most: 1 }, promptTokens: 0, images: 0, price: null },
        },
        options,
      )
    await reserve('a', 'first')
    const { run } = node.database
    const gate = Promise.withResolvers<void>()
    node.database.run = async (sql, ...more) => {
      if (sql.includes('usage_entries')) await gate.promise
      return run.call(node.database, sql, ...more)
    }
    const recorded = node.usage.append(makeUsageEntry({ at: node.clock.now() }), { ...options, id: 'first' })
    const second = reserve('a', 'second').catch((error: unknown) => error)
    // Another account does not wait, and each of its requests takes as long as the decision on the second one would.
    for (let index = 0; index < 5; index++) await reserve('b', 'other')
    gate.resolve()
    assert.deepEqual(await second, { isLimited: true, tokens: 1 })
    await recorded
    await assert.rejects(reserve('a', 'third'), { code: 'concurrency_limit_exceeded' })
  })

  test('a request that reserved after it was cancelled occupies no place for ever', async () => {
    await using cluster = await openNodes(1)
    const [node] = cluster.nodes
    assert.ok(node)
    const options = { signal: new AbortController().signal }
    const account = { id: 'a', name: 'Ada', email: null, role: 'member', createdAt: 1, disabledAt: null } as const
    await node.accounts.create({ ...account, limits: { ...noLimits, concurrentRequests: 1 } }, options)
    const reserve = (id: string) =>
      node.ledger.reserve(
        {
          ...{ id, accountId: 'a', tokenId: null, running: true, unit: 'tokens' },
          ...{ tokens: { least: 1, most: 1 }, promptTokens: 0, images: 0, price: null },
        },
        options,
      )
    const { inference } = await node.queue.enqueue(makeSubmission(), options)
    await node.queue.cancel({ id: inference.id, accountId: inference.accountId }, options)
    await reserve(inference.id)
    await assert.rejects(reserve('next'), { code: 'concurrency_limit_exceeded' })
    await node.queue.expire(options)
    await reserve('next')
    // That of a request under way stays.
    await node.queue.expire(options)
    await assert.rejects(reserve('third'), { code: 'concurrency_limit_exceeded' })
  })
})
