/**
 * What does the queue on PostgreSQL take, and what does it hand out, beside pg-boss and graphile-worker on the same durable server?
 *
 * Submits with 32 in flight, from one process, and from four that share these or have as many each; then claims with their completions, in eights by
 * and in thirty-twos by four workers at once and in batches of 256 by two, by us, by bare statements on our tables and by pg-boss. `-- submits` or `-- claims`
 * measures one of both.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { createSystemClock } from '../../src/composition/system-clock.ts'
import { openPostgresStore } from '../../src/storage/postgres/open-postgres-store.ts'
import { makeSubmission } from '../../test/support/submission.ts'
import { describeRate, measureRate, median, type Rate } from '../measure.ts'
import { startBareStatements } from './bare-statements.ts'
import { createDatabase, startBenchServer } from './bench-server.ts'
import { startGraphileWorker, startPgBoss } from './rivals.ts'

const rounds = 3
const inFlight = 32
const most = 12_000
const rivalMost = 3000
const processes = 4
const options = { signal: new AbortController().signal }
const output = { key: 'k', contentType: 'application/json', bytes: 2, sha256: 'ab'.repeat(32) }
const claimed = 6000

const [given] = process.argv.slice(2)
if (given?.startsWith('postgres:')) await submitAsChild(given, Number(process.argv[3]))
else await measureAll(given ?? 'all')

async function measureAll(what: string): Promise<void> {
  await using server = await startBenchServer()
  const seen: Record<string, number[]> = {}
  const note = (name: string, perSecond: number) => {
    seen[name] = [...(seen[name] ?? []), perSecond]
  }
  for (let round = 1; round <= rounds; round++) {
    const url = await createDatabase(server, `round_${round}`)
    await using store = await open(url)
    await using boss = await startPgBoss(await createDatabase(server, `pg_boss_${round}`))
    if (what !== 'claims') {
      const one = await measureSubmits(store, most)
      note('submits', one.perSecond)
      console.log(`round ${round}: submits, ${inFlight} in flight: ${describeRate(one)}`)
      for (const each of [inFlight / processes, inFlight]) {
        const four = await submitFromChildren(await createDatabase(server, `four_${each}_${round}`), each)
        note(`submits by four with ${each} each`, four)
        console.log(
          `round ${round}: submits, ${processes} processes with ${each} in flight each: ${Math.round(four)}/s (${(four / one.perSecond).toFixed(2)} × one)`,
        )
      }
      await using worker = await startGraphileWorker(await createDatabase(server, `graphile_${round}`))
      for (const rival of [boss, worker]) {
        const rate = await measureRate(rivalMost, inFlight, (index) => rival.submit(index))
        note(`submits by ${rival.name}`, rate.perSecond)
        console.log(`round ${round}: submits by ${rival.name}: ${describeRate(rate)}`)
      }
    }
    if (what !== 'submits')
      for (const { limit, workers } of [
        { limit: 8, workers: 4 },
        { limit: 32, workers: 4 },
        { limit: 256, workers: 2 },
      ]) {
        const fill = () =>
          measureRate(claimed, 512, (index) => store.queue.enqueue(makeSubmission({ accountId: `account-${index % 10}` }), options))
        await fill()
        const ours = await drain(workers, () => claimAndComplete(store, limit))
        note(`claims of ${limit}`, ours)
        const told: string[] = []
        for (const keeps of ['all', 'outcome'] as const) {
          await fill()
          await using bare = await startBareStatements(url, keeps)
          const rate = await drain(workers, () => bare.claimAndComplete(limit))
          note(`claims of ${limit} by bare statements, which keep ${keeps}`, rate)
          told.push(`bare statements, which keep ${keeps}, ${Math.round(rate)}/s (${(ours / rate).toFixed(2)} ×)`)
        }
        for (let done = 0; done < claimed; done += 500) await Promise.all(Array.from({ length: 500 }, (_, index) => boss.submit(index)))
        const theirs = await drain(workers, () => boss.claimAndComplete?.(limit) ?? Promise.resolve(0))
        note(`claims of ${limit} by pg-boss`, theirs)
        told.push(`pg-boss ${Math.round(theirs)}/s (${(ours / theirs).toFixed(2)} ×)`)
        console.log(`round ${round}: claim ${limit} + complete, ${workers} at once: ${Math.round(ours)}/s; ${told.join('; ')}`)
      }
  }
  for (const [name, rates] of Object.entries(seen)) console.log(`median of ${name}: ${Math.round(median(rates))}/s`)
}

function open(url: string) {
  return openPostgresStore({ url, clock: createSystemClock(), limits: { maxPending: 1e9 }, mode: 'service' })
}

async function measureSubmits(store: Awaited<ReturnType<typeof open>>, total: number): Promise<Rate> {
  const submit = (index: number) => store.queue.enqueue(makeSubmission({ accountId: `account-${index % 10}` }), options)
  await measureRate(500, inFlight, submit)
  return measureRate(total, inFlight, submit)
}

/** Takes so many and completes each with an output, which others wait for by its record; how many it got. */
async function claimAndComplete(store: Awaited<ReturnType<typeof open>>, limit: number): Promise<number> {
  const rooms = [{ model: 'fake-image', room: limit }]
  const claims = await store.queue.claim({ workerId: 'w', rooms, limit, leaseMs: 30_000 }, options)
  await Promise.all(
    claims.map((claim) => store.queue.complete(claim, { completion: { outcome: 'succeeded', output }, usage: null }, options)),
  )
  return claims.length
}

/** What so many at once take and complete in a second, until nothing is left. */
async function drain(workers: number, take: () => Promise<number>): Promise<number> {
  let done = 0
  const startedAt = performance.now()
  const work = async () => {
    for (let got = 1; got > 0; done += got) got = await take()
  }
  await Promise.all(Array.from({ length: workers }, work))
  return (done * 1000) / (performance.now() - startedAt)
}

async function submitFromChildren(url: string, each: number): Promise<number> {
  await (await open(url))[Symbol.asyncDispose]()
  const children = Array.from({ length: processes }, () => fork(fileURLToPath(import.meta.url), [url, String(each)]))
  await Promise.all(children.map((child) => once(child, 'message')))
  const startedAt = performance.now()
  await Promise.all(
    children.map(async (child) => {
      const ended = once(child, 'exit')
      child.send('go')
      await ended
    }),
  )
  return (most * 1000) / (performance.now() - startedAt)
}

async function submitAsChild(url: string, each: number): Promise<void> {
  const store = await open(url)
  const submit = (index: number) => store.queue.enqueue(makeSubmission({ accountId: `account-${index % 10}` }), options)
  await measureRate(100, inFlight, submit)
  process.send?.('ready')
  await once(process, 'message')
  await measureRate(most / processes, each, submit)
  process.disconnect()
  await store[Symbol.asyncDispose]()
}
