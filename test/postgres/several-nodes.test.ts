import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { ensureFirstAccount } from '../../src/composition/first-start.ts'
import { createSystemClock } from '../../src/composition/system-clock.ts'
import { noLimits } from '../../src/core/limits/use-limits.ts'
import { openPostgresStore, type PostgresStore } from '../../src/storage/postgres/open-postgres-store.ts'
import { claimNext, leaseMs, succeed } from '../conformance/claiming.ts'
import { options, roomy } from '../conformance/store-factory.ts'
import { insist } from '../support/postgres/insist.ts'
import { createDatabase, sharedPostgres } from '../support/postgres/postgres-databases.ts'
import { withoutPostgres } from '../support/postgres/postgres-server.ts'
import { makeSubmission } from '../support/submission.ts'

/** Several nodes on one database. */
async function openNodes(many: number, url?: string): Promise<{ readonly nodes: readonly PostgresStore[] } & AsyncDisposable> {
  const address = url ?? (await createDatabase())
  await using undo = new AsyncDisposableStack()
  const open = () => openPostgresStore({ url: address, clock: createSystemClock(), limits: roomy, mode: 'service' })
  const nodes = await Promise.all(Array.from({ length: many }, open))
  for (const node of nodes) undo.use(node)
  const owned = undo.move()
  return { nodes, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}

const wanted = { accountId: 'a', tokenId: null, running: true, unit: 'tokens', promptTokens: 0, images: 0, price: null } as const
const member = { name: 'Ada', email: null, role: 'member', createdAt: 1, disabledAt: null, limits: noLimits } as const

suite('several nodes on one PostgreSQL', { skip: withoutPostgres }, () => {
  test('nodes started at once on an empty database create its tables and one first owner', async () => {
    const { query, url } = await sharedPostgres()
    await query('create database started_at_once')
    await using cluster = await openNodes(4, url('started_at_once'))
    const made = await Promise.all(cluster.nodes.map((node) => ensureFirstAccount(node, options)))
    assert.equal(made.filter(({ created }) => created).length, 1)
    assert.equal(new Set(made.map(({ account }) => account.id)).size, 1)
  })

  test('concurrent reservations of several nodes never overspend a budget', async () => {
    await using cluster = await openNodes(3)
    const [first] = cluster.nodes
    await first?.accounts.create({ ...member, id: 'a', limits: { ...noLimits, tokensPerDay: 100 } }, options)
    const reserve = (index: number) =>
      insist(async () => cluster.nodes[index % 3]?.ledger.reserve({ id: `r${index}`, ...wanted, tokens: { least: 7, most: 7 } }, options))
    const answers = await Promise.allSettled(Array.from({ length: 60 }, (_, index) => reserve(index)))
    assert.equal(answers.filter(({ status }) => status === 'fulfilled').length, 14)
    assert.equal((await first?.ledger.budgets({ accountId: 'a', tokenId: null }, options))?.[0]?.reserved, 98)
  })

  test('an idempotency key creates one inference, on any node', async () => {
    await using cluster = await openNodes(3)
    const submission = makeSubmission({ idempotency: { key: 'k', fingerprint: 'f' } })
    const results = await Promise.all(
      Array.from({ length: 12 }, (_, index) => cluster.nodes[index % 3]?.queue.enqueue(submission, options)),
    )
    assert.equal(new Set(results.map((result) => result?.inference.id)).size, 1)
    assert.equal(results.filter((result) => result?.repeated === false).length, 1)
  })

  test('a key without an inference runs its request once, on any node', async () => {
    await using cluster = await openNodes(3)
    const [first] = cluster.nodes
    assert.ok(first)
    const submission = makeSubmission({ idempotency: { key: 'k', fingerprint: 'f' } })
    const { inference: lost } = await first.queue.enqueue(submission, options)
    for (const table of ['queue', 'inferences']) await first.database.run(`delete from ${table} where id = :id`, { id: lost.id })
    const results = await Promise.all(
      Array.from({ length: 12 }, (_, index) => cluster.nodes[index % 3]?.queue.enqueue(submission, options)),
    )
    const ids = new Set(results.map((result) => result?.inference.id))
    assert.deepEqual([ids.size, ids.has(lost.id)], [1, false])
    assert.equal(results.filter((result) => result?.repeated === false).length, 1)
    assert.equal((await first.log.list({ accountId: 'a', status: null, limit: 9, after: null }, options)).inferences.length, 1)
  })

  test('nothing is claimed twice, and a submission on one node notifies the others', async () => {
    await using cluster = await openNodes(3)
    const [first, second] = cluster.nodes
    assert.ok(first && second)
    const notified = second.queue.waitForWork(60_000, options)
    const submitted = await Promise.all(Array.from({ length: 60 }, () => first.queue.enqueue(makeSubmission(), options)))
    await notified
    const rooms = [{ model: 'fake-image', room: 8 }]
    const drain = async (node: PostgresStore): Promise<readonly string[]> => {
      const claims = await node.queue.claim({ workerId: 'w', rooms, limit: 8, leaseMs }, options)
      for (const claim of claims) assert.equal(await succeed(node.queue, claim), 'completed')
      return claims.length === 0 ? [] : [...claims.map(({ id }) => id), ...(await drain(node))]
    }
    const claimed = (await Promise.all(cluster.nodes.map(drain))).flat()
    assert.deepEqual(claimed.toSorted(), submitted.map(({ inference }) => inference.id).toSorted())
  })

  test('the end of an inference is notified to the other nodes', async () => {
    await using cluster = await openNodes(2)
    const [first, second] = cluster.nodes
    assert.ok(first && second)
    const notified = new Promise<readonly string[]>((resolve) => second.notifier.onEnded(resolve))
    const { inference } = await first.queue.enqueue(makeSubmission(), options)
    await succeed(first.queue, await claimNext(first.queue))
    assert.deepEqual(await notified, [inference.id])
  })

  test('what other programs write to the channel of the nodes is ignored', async () => {
    const address = await createDatabase()
    await using cluster = await openNodes(1, address)
    const ended = new Promise<readonly string[]>((resolve) => cluster.nodes[0]?.notifier.onEnded(resolve))
    const { query } = await sharedPostgres()
    const fromNode = JSON.stringify({ from: 'another node', work: false, ended: ['a'] })
    for (const payload of ['', 'hello', 'null', '7', '{}', '{"from":"b"}', '{"from":"b","ended":7}', fromNode])
      await query(`select pg_notify('sepia_bell', '${payload}')`, new URL(address).pathname.slice(1))
    assert.deepEqual(await ended, ['a'])
  })

  test('a webhook is delivered by one node at a time', async () => {
    await using cluster = await openNodes(2)
    const [first, second] = cluster.nodes
    assert.ok(first && second)
    const { inference } = await first.queue.enqueue(makeSubmission({ webhookUrl: 'https://example.com/hook' }), options)
    await first.queue.cancel({ id: inference.id, accountId: 'a' }, options)
    const query = { limit: 10, perAccount: 10 }
    const [delivery] = await first.webhooks.due(query, options)
    assert.ok(delivery)
    assert.deepEqual(await second.webhooks.due(query, options), [])
    assert.equal((await first.webhooks.due(query, options)).length, 1)
    await first.webhooks.record(delivery.id, { state: 'waiting', nextAttemptAt: 1, result: '500' }, options)
    assert.equal((await second.webhooks.due(query, options)).length, 1)
  })

  test('reservations of a node expire with it, while pending work keeps its own', async () => {
    const address = await createDatabase()
    await using cluster = await openNodes(1, address)
    const [survivor] = cluster.nodes
    assert.ok(survivor)
    await survivor.accounts.create({ ...member, id: 'a', limits: { ...noLimits, tokensPerDay: 100 } }, options)
    const id = '01a204a6-f0f1-7f0d-9e9e-7e0fdde02af4'
    {
      await using leaving = await openNodes(1, address)
      const [node] = leaving.nodes
      await node?.ledger.reserve({ id, ...wanted, tokens: { least: 10, most: 10 } }, options)
      await node?.queue.enqueue(makeSubmission({ id }), options)
      await node?.ledger.reserve({ id: 'interactive', ...wanted, tokens: { least: 30, most: 30 } }, options)
      await survivor.queue.expire(options)
      assert.equal((await survivor.ledger.budgets({ accountId: 'a', tokenId: null }, options))[0]?.reserved, 40)
    }
    await survivor.queue.expire(options)
    assert.equal((await survivor.ledger.budgets({ accountId: 'a', tokenId: null }, options))[0]?.reserved, 10)
  })

  test('times are those of the database, whatever the clock of a machine', async () => {
    const address = await createDatabase()
    const wrong = { ...createSystemClock(), now: () => Date.now() + 60 * 60 * 1000 }
    await using store = await openPostgresStore({ url: address, clock: wrong, limits: roomy, mode: 'service' })
    const { query } = await sharedPostgres()
    const [row] = await query('select extract(epoch from clock_timestamp()) * 1000 as now')
    assert.ok(Math.abs(store.clock.now() - Number(row?.now)) < 10 * 60 * 1000)
  })
})
