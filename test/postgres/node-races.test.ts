import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { createSystemClock } from '../../src/composition/system-clock.ts'
import { ServiceError } from '../../src/core/error.ts'
import { noLimits, noUseLimits } from '../../src/core/limits/use-limits.ts'
import type { Claim } from '../../src/core/ports/inference-queue.ts'
import { deleteAccount, eraseDeletedAccounts } from '../../src/operations/access/deleted-accounts.ts'
import { RetryingUsageLog } from '../../src/operations/retrying-usage-log.ts'
import { openPostgresStore, type PostgresStore } from '../../src/storage/postgres/open-postgres-store.ts'
import { createDice } from '../conformance/queue-races.ts'
import { options, roomy } from '../conformance/store-factory.ts'
import { createMemoryOutputs } from '../support/memory/create-memory-outputs.ts'
import { makeUsageEntry } from '../support/memory/usage-entry.ts'
import { type FaultyLink, startFaultyLink } from '../support/postgres/faulty-link.ts'
import { insist } from '../support/postgres/insist.ts'
import { createDatabase, sharedPostgres } from '../support/postgres/postgres-databases.ts'
import { withoutPostgres } from '../support/postgres/postgres-server.ts'
import { makeSubmission } from '../support/submission.ts'

/** Rounds of a run, and the calls of each, all made before the first has answered. */
const [rounds, callsPerRound] = [8, 12]
/** The second account is deleted while its work runs. */
const [kept, deleted] = ['account-alpha', 'account-bravo']
const leaseMs = 30_000
const clock = createSystemClock()

interface RacingNode {
  readonly link: FaultyLink
  readonly store: PostgresStore
  readonly books: RetryingUsageLog
}

interface Race extends AsyncDisposable {
  readonly nodes: readonly RacingNode[]
  readonly database: string
  readonly dice: (below: number) => number
  /** Requests whose submission was answered, with their account. */
  readonly accepted: Map<string, string>
  readonly claims: Claim[]
  readonly revoked: Set<string>
  /** Entries in the books of the first account. */
  booked: number
}

async function openRace(seed: number): Promise<Race> {
  await using undo = new AsyncDisposableStack()
  const address = new URL(await createDatabase())
  const database = address.pathname.slice(1)
  const nodes: RacingNode[] = []
  for (let node = 0; node < 2; node++) {
    const link = undo.use(await startFaultyLink(Number((await sharedPostgres()).port)))
    address.port = String(link.port)
    const store = undo.use(await openPostgresStore({ url: address.href, clock, limits: roomy, mode: 'service' }))
    nodes.push({ link, store, books: undo.use(new RetryingUsageLog(store.usage, { clock, onFault: () => {} })) })
  }
  const profile = { email: null, role: 'member', createdAt: 1, disabledAt: null, limits: { ...noLimits, tokensPerDay: 1_000_000 } } as const
  for (const id of [kept, deleted]) await nodes[0]?.store.accounts.create({ ...profile, id, name: id }, options)
  const owned = undo.move()
  const answers = { accepted: new Map(), claims: [], revoked: new Set<string>(), booked: 0 }
  return { nodes, database, dice: createDice(seed), ...answers, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}

function entryOf(accountId: string) {
  return makeUsageEntry({ accountId, at: clock.now() })
}

async function complete(race: Race, { store }: RacingNode, claim: Claim): Promise<void> {
  const { accountId } = claim.inference
  const output = { key: `${claim.id}.${claim.attempt}`, contentType: 'application/json', bytes: 2, sha256: 'ab'.repeat(32) }
  const end = { completion: { outcome: 'succeeded', output }, usage: entryOf(accountId) } as const
  const known = race.claims.indexOf(claim)
  if (known >= 0) race.claims.splice(known, 1)
  const answer = await insist(() => store.queue.complete(claim, end, options))
  if (answer !== 'lost' && accountId === kept) race.booked += 1
}

/** One call of a client, a worker or a duty on either node, chosen by chance. */
async function callAny(race: Race, call: number): Promise<void> {
  const { nodes, dice, accepted, claims, revoked } = race
  const node = nodes[dice(2)]
  assert.ok(node)
  const { store, link, books } = node
  const accountId = dice(3) === 0 ? deleted : kept
  const claim = claims[dice(claims.length)]
  const [id] = [...accepted.keys()].slice(dice(accepted.size))
  switch (dice(12)) {
    case 0:
    case 1: {
      const idempotency = { key: `${accountId} ${dice(30)}`, fingerprint: 'f' }
      const submit = () => store.queue.enqueue(makeSubmission({ accountId, idempotency }), options)
      const answer = await insist(submit).catch((error: unknown) => {
        // The account is deleted.
        if (accountId === deleted && error instanceof ServiceError && error.code === 'invalid_token') return null
        throw error
      })
      return answer === null ? undefined : void accepted.set(answer.inference.id, accountId)
    }
    case 2:
    case 3: {
      const wanted = { workerId: 'w', rooms: [{ model: 'fake-image', room: 3 }], limit: 2, leaseMs }
      return void claims.push(...(await insist(() => store.queue.claim(wanted, options))))
    }
    case 4:
      return claim && complete(race, node, claim)
    case 5:
      return id === undefined ? undefined : void (await insist(() => store.queue.cancel({ id, accountId: kept }, options)))
    case 6:
      return claim && void (await insist(() => store.queue.release(claim, { delayMs: 0, usage: null }, options)))
    case 7:
      await insist(() => store.queue.expire(options))
      return void (await insist(() => store.queue.sweep({ maxQueueMs: 60_000_000, spared: [] }, options)))
    case 8: {
      const name = `work-${call}`
      const wish = { unit: 'tokens', running: true, promptTokens: 1, images: 0, price: null, tokens: { least: 1, most: 9 } } as const
      await insist(() => store.ledger.reserve({ id: name, accountId: kept, tokenId: null, ...wish }, options))
      await books.append(entryOf(kept), { ...options, id: name })
      race.booked += 1
      return
    }
    case 9: {
      const hash = `hash-${call}`
      const dates = { createdAt: 1, expiresAt: null, revokedAt: null, lastUsedAt: null }
      const token = { id: hash, accountId, name: hash, hash, hint: 'h', scopes: [], ...dates, limits: noUseLimits }
      // The row of a call whose answer was lost makes its repetition fail.
      const isMade = await store.tokens.create(token, options).catch(() => false)
      if (!isMade) return
      await insist(() => store.tokens.revoke(token, 2, options))
      return void revoked.add(hash)
    }
    case 10:
      return link.cut()
    default:
      return link.swallowAnswers(1)
  }
}

async function eraseOnBoth({ nodes }: Race): Promise<void> {
  const outputs = createMemoryOutputs({ clock })
  await Promise.all(nodes.map(({ store }) => insist(() => eraseDeletedAccounts({ ...store, outputs, clock }, options))))
}

/** Ends the rest, as undisturbed workers do. A node first gives back the claims whose answer it never got. */
async function endAll(race: Race): Promise<void> {
  const wanted = { workerId: 'last', rooms: [{ model: 'fake-image', room: 50 }], limit: 50, leaseMs }
  for (let round = 0; round < 3; round++)
    for (const node of race.nodes) {
      for (const claim of [...race.claims]) await complete(race, node, claim)
      race.claims.push(...(await insist(() => node.store.queue.claim(wanted, options))))
    }
  assert.deepEqual(race.claims, [])
}

suite('two nodes on one PostgreSQL that lose connections', { skip: withoutPostgres }, () => {
  for (let seed = 1; seed <= 3; seed++)
    test(`end each accepted request and book each work once, and keep nothing of a deleted account (seed ${seed})`, async () => {
      await using race = await openRace(seed)
      const [first] = race.nodes
      assert.ok(first)
      for (let round = 0; round < rounds; round++) {
        const calls = Array.from({ length: callsPerRound }, (_, call) => callAny(race, round * callsPerRound + call))
        if (round === rounds / 2)
          calls.push(insist(() => deleteAccount({ ...first.store, clock }, { accountId: deleted, by: null, name: deleted }, options)))
        if (round > rounds / 2) calls.push(eraseOnBoth(race))
        await Promise.all(calls)
      }
      for (const { link } of race.nodes) link.swallowAnswers(0)
      await endAll(race)
      await eraseOnBoth(race)

      const { query } = await sharedPostgres()
      for (const [id, accountId] of race.accepted)
        for (const { store } of race.nodes) {
          const found = await insist(() => store.log.find(id, accountId, options))
          assert.equal(found?.status ?? null, accountId === kept ? 'completed' : null, `${accountId} ${id}`)
        }
      const [from, to] = [0, clock.now() + 86_400_000].map((time) => new Date(time).toISOString().slice(0, 10))
      const period = { accountId: kept, from: from ?? '', to: to ?? '' }
      const [sum] = await insist(() => first.store.usage.summarize(period, options))
      assert.equal(sum?.requests ?? 0, race.booked)
      for (const { store } of race.nodes)
        for (const hash of race.revoked) assert.notEqual((await insist(() => store.tokens.findByHash(hash, options)))?.revokedAt, null)
      assert.deepEqual(await query('select id from reservations', race.database), [])
      assert.deepEqual(await query('select id from queue', race.database), [])
      const waiting = 'select coalesce(sum(pending), 0)::integer as pending from'
      for (const table of ['account_totals', 'model_totals'])
        assert.deepEqual(await query(`${waiting} ${table}`, race.database), [{ pending: 0 }], table)
      const tables = await query("select table_name as name from information_schema.tables where table_schema = 'public'", race.database)
      for (const { name } of tables) {
        if (name === 'audit_entries' || name === 'documents') continue
        const rows = await query(
          `select to_jsonb(each)::text as row from "${name}" as each where each::text like '%${deleted}%'`,
          race.database,
        )
        assert.deepEqual(rows, [], String(name))
      }
    })
})
