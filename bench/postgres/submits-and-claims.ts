/**
 * How many submits and claims a second does the queue on PostgreSQL handle, compared with pg-boss and graphile-worker on the same durable server?
 *
 * Submits run with 32 in flight from one process, and from four that share these or have 32 each, also for pg-boss. Claims with their completions run in
 * batches of 8 and 32 by four workers at once, and of 256 by two: by Sepia, by bare statements on its tables, and by pg-boss. All have the same work, the
 * same results and fresh statistics; the first round warms up. `-- submits` or `-- claims` measures only one of them.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { createSystemClock } from '../../src/composition/system-clock.ts'
import { openPostgresStore } from '../../src/storage/postgres/open-postgres-store.ts'
import type { PostgresServer } from '../../test/support/postgres/postgres-server.ts'
import { makeSubmission } from '../../test/support/submission.ts'
import { describeRate, measureRate, median, type Rate } from '../measure.ts'
import { readProcessorMs } from '../processor-time.ts'
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
const claimed = 12_000

const [given, inFlightOfChild, system, totalOfAll] = process.argv.slice(2)
if (given?.startsWith('postgres:'))
  await submitAsChild(given, { each: Number(inFlightOfChild), system: system === 'pg-boss' ? system : 'sepia', total: Number(totalOfAll) })
else await measureAll(given ?? 'all')

async function measureAll(what: string): Promise<void> {
  await using server = await startBenchServer()
  const seen: Record<string, number[]> = {}
  for (let round = 0; round <= rounds; round++) {
    const url = await createDatabase(server, `round_${round}`)
    const bossUrl = await createDatabase(server, `pg_boss_${round}`)
    await using store = await open(url)
    await using boss = await startPgBoss(bossUrl)
    const print = (text: string) => round > 0 && console.log(`round ${round}: ${text}`)
    const note = (name: string, perSecond: number) => {
      if (round > 0) seen[name] = [...(seen[name] ?? []), perSecond]
    }
    if (what !== 'claims') {
      const started = { ours: process.cpuUsage(), server: readProcessorMs(server.pid()) }
      const one = await measureSubmits(store, most)
      const { user, system } = process.cpuUsage(started.ours)
      note('submits', one.perSecond)
      const cost = (ours: number, theirs: number) =>
        `each ${Math.round(ours / most)} µs of ours, ${Math.round((theirs * 1000) / most)} of PostgreSQL's`
      print(`submits, ${inFlight} in flight: ${describeRate(one)}; ${cost(user + system, readProcessorMs(server.pid()) - started.server)}`)
      for (const each of [inFlight / processes, inFlight]) {
        const four = await submitFromChildren(server, await createDatabase(server, `four_${each}_${round}`), {
          each,
          system: 'sepia',
          total: most,
        })
        note(`submits by four with ${each} each`, four.perSecond)
        const ratio = (four.perSecond / one.perSecond).toFixed(2)
        print(
          `submits, ${processes} processes with ${each} in flight each: ${Math.round(four.perSecond)}/s (${ratio} × one); ${cost(four.ownUs, four.serverMs)}`,
        )
      }
      await using worker = await startGraphileWorker(await createDatabase(server, `graphile_${round}`))
      const rates: Record<string, number> = {}
      for (const rival of [boss, worker]) {
        const rate = await measureRate(rivalMost, inFlight, (index) => rival.submit(index))
        rates[rival.name] = rate.perSecond
        note(`submits by ${rival.name}`, rate.perSecond)
        print(`submits by ${rival.name}: ${describeRate(rate)}`)
      }
      const theirs = await submitFromChildren(server, bossUrl, { each: inFlight / processes, system: 'pg-boss', total: rivalMost })
      note('submits by four of pg-boss', theirs.perSecond)
      const ratio = (theirs.perSecond / (rates[boss.name] ?? Number.NaN)).toFixed(2)
      print(
        `submits by ${processes} processes of pg-boss with ${inFlight / processes} in flight each: ${Math.round(theirs.perSecond)}/s (${ratio} × one)`,
      )
    }
    if (what !== 'submits')
      for (const { limit, workers } of [
        { limit: 8, workers: 4 },
        { limit: 32, workers: 4 },
        { limit: 256, workers: 2 },
      ]) {
        const fill = async () => {
          await measureRate(claimed, 512, submitTo(store))
          await server.query('vacuum analyze', `round_${round}`)
        }
        await fill()
        const ours = await drain(workers, () => claimAndComplete(store, limit))
        note(`claims of ${limit}`, ours)
        await fill()
        await using bare = await startBareStatements(url)
        const bound = await drain(workers, () => bare.claimAndComplete(limit))
        note(`claims of ${limit} by bare statements`, bound)
        await boss.fill?.(claimed)
        await server.query('vacuum analyze', `pg_boss_${round}`)
        const theirs = await drain(workers, () => boss.claimAndComplete?.(limit) ?? Promise.resolve(0))
        note(`claims of ${limit} by pg-boss`, theirs)
        const beside = (rate: number) => `${Math.round(rate)}/s (${(ours / rate).toFixed(2)} ×)`
        print(
          `claim ${limit} + complete, ${workers} at once: ${Math.round(ours)}/s; bare statements ${beside(bound)}; pg-boss ${beside(theirs)}`,
        )
      }
  }
  for (const [name, rates] of Object.entries(seen)) console.log(`median of ${name}: ${Math.round(median(rates))}/s`)
}

function open(url: string) {
  return openPostgresStore({ url, clock: createSystemClock(), limits: { maxPending: 1e9 }, mode: 'service' })
}

async function measureSubmits(store: Awaited<ReturnType<typeof open>>, total: number): Promise<Rate> {
  const submit = submitTo(store)
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

/** The rate at which a number of workers claim and complete requests until none is left. */
async function drain(workers: number, take: () => Promise<number>): Promise<number> {
  let done = 0
  const startedAt = performance.now()
  const work = async () => {
    for (let got = 1; got > 0; done += got) got = await take()
  }
  await Promise.all(Array.from({ length: workers }, work))
  return (done * 1000) / (performance.now() - startedAt)
}

interface Children {
  /** Of each process. */
  readonly each: number
  readonly system: 'sepia' | 'pg-boss'
  readonly total: number
}

/** The submission rate of four processes, with their processor time and that of the server. */
async function submitFromChildren(
  server: PostgresServer,
  url: string,
  { each, system, total }: Children,
): Promise<{ readonly perSecond: number; readonly ownUs: number; readonly serverMs: number }> {
  if (system === 'sepia') await (await open(url))[Symbol.asyncDispose]()
  const children = Array.from({ length: processes }, () => fork(fileURLToPath(import.meta.url), [url, String(each), system, String(total)]))
  await Promise.all(children.map((child) => once(child, 'message')))
  const serverAt = readProcessorMs(server.pid())
  const startedAt = performance.now()
  const spent = await Promise.all(
    children.map(async (child) => {
      const reported = once(child, 'message')
      child.send('begin')
      return Number((await reported)[0])
    }),
  )
  const perSecond = (total * 1000) / (performance.now() - startedAt)
  const serverMs = readProcessorMs(server.pid()) - serverAt
  const ended = children.map((child) => once(child, 'exit'))
  for (const child of children) child.send('end')
  await Promise.all(ended)
  return { perSecond, ownUs: spent.reduce((sum, us) => sum + us, 0), serverMs }
}

async function submitAsChild(url: string, { each, system, total }: Children): Promise<void> {
  await using owned = new AsyncDisposableStack()
  const submit = system === 'sepia' ? submitTo(owned.use(await open(url))) : owned.use(await startPgBoss(url)).submit
  await measureRate(total / processes, inFlight, submit)
  process.send?.('ready')
  await once(process, 'message')
  const started = process.cpuUsage()
  await measureRate(total / processes, each, submit)
  const { user, system: kernel } = process.cpuUsage(started)
  process.send?.(user + kernel)
  await once(process, 'message')
  process.disconnect()
}

function submitTo(store: Awaited<ReturnType<typeof open>>) {
  return (index: number) => store.queue.enqueue(makeSubmission({ accountId: `account-${index % 10}` }), options)
}
