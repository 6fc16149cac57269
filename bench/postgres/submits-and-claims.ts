/**
 * What does the queue on PostgreSQL take, and what does it hand out, beside pg-boss and graphile-worker on the same durable server?
 *
 * Submits with 32 in flight, from one process and from four; then claims of 8 with their completions, by several workers at once.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { createSystemClock } from '../../src/composition/system-clock.ts'
import { openPostgresStore } from '../../src/storage/postgres/open-postgres-store.ts'
import { type PostgresServer, startPostgres } from '../../test/support/postgres/postgres-server.ts'
import { makeSubmission } from '../../test/support/submission.ts'
import { describeMachine, describeRate, measureRate, median, type Rate } from '../measure.ts'
import { type Rival, startGraphileWorker, startPgBoss } from './rivals.ts'

const rounds = 3
const inFlight = 32
const most = 12_000
const rivalMost = 3000
const processes = 4
const options = { signal: new AbortController().signal }
const output = { key: 'k', contentType: 'application/json', bytes: 2, sha256: 'ab'.repeat(32) }
const rooms = [{ model: 'fake-image', room: 8 }]

const child = process.argv[2]
if (child !== undefined) await submitAsChild(child)
else await measureAll()

async function measureAll(): Promise<void> {
  console.log(describeMachine())
  await using server = await startPostgres({ onDisk: true })
  const [version] = await server.query('show server_version')
  console.log(`PostgreSQL ${version?.server_version}, synchronous_commit on, fsync on\n`)
  const submits: Record<string, number[]> = {}
  for (let round = 1; round <= rounds; round++) {
    const url = await createDatabase(server, `round_${round}`)
    await using store = await open(url)
    const one = await measureSubmits(store, most)
    console.log(`round ${round}: submits, ${inFlight} in flight: ${describeRate(one)}`)
    const four = await submitFromChildren(await createDatabase(server, `four_${round}`))
    console.log(`round ${round}: submits, ${processes} processes: ${Math.round(four)}/s (${(four / one.perSecond).toFixed(2)} × one)`)
    for (const workers of [1, 4]) {
      const rate = await measureClaims(store, workers, 4000)
      note('claims', rate)
      console.log(`round ${round}: claim 8 + complete, ${workers} at once: ${Math.round(rate)}/s`)
    }
    note('store', one.perSecond)
    for (const start of [startPgBoss, startGraphileWorker]) {
      await using rival = await start(await createDatabase(server, `${start.name.toLowerCase()}_${round}`))
      const rate = await measureRate(rivalMost, inFlight, (index) => rival.submit(index))
      note(rival.name, rate.perSecond)
      console.log(`round ${round}: submits by ${rival.name}: ${describeRate(rate)}`)
      const claims = await measureRival(rival)
      if (claims !== null) console.log(`round ${round}: claim 256 + complete by ${rival.name}: ${Math.round(claims)}/s`)
    }
  }
  const store = median(submits.store ?? [])
  for (const rival of ['pg-boss', 'graphile-worker'])
    console.log(`submits: ${(store / median(submits[rival] ?? [])).toFixed(1)} × ${rival}`)

  function note(name: string, perSecond: number): void {
    submits[name] = [...(submits[name] ?? []), perSecond]
  }
}

function open(url: string) {
  return openPostgresStore({ url, clock: createSystemClock(), limits: { maxPending: 1e9 }, mode: 'service' })
}

async function createDatabase(server: PostgresServer, name: string): Promise<string> {
  await server.query(`create database ${name}`)
  return server.url(name)
}

async function measureSubmits(store: Awaited<ReturnType<typeof open>>, total: number): Promise<Rate> {
  const submit = (index: number) => store.queue.enqueue(makeSubmission({ accountId: `account-${index % 10}` }), options)
  await measureRate(500, inFlight, submit)
  return measureRate(total, inFlight, submit)
}

async function measureClaims(store: Awaited<ReturnType<typeof open>>, workers: number, total: number): Promise<number> {
  let done = 0
  const startedAt = performance.now()
  const work = async (worker: number): Promise<void> => {
    while (done < total) {
      const claims = await store.queue.claim({ workerId: `w${worker}`, rooms, limit: 8, leaseMs: 30_000 }, options)
      done += claims.length
      await Promise.all(
        claims.map((claim) => store.queue.complete(claim, { completion: { outcome: 'succeeded', output }, usage: null }, options)),
      )
    }
  }
  await Promise.all(Array.from({ length: workers }, (_, index) => work(index)))
  return (done * 1000) / (performance.now() - startedAt)
}

async function measureRival({ claimAndComplete }: Rival): Promise<number | null> {
  if (claimAndComplete === undefined) return null
  const startedAt = performance.now()
  let done = 0
  for (let got = 1; got > 0; done += got) got = await claimAndComplete(256)
  return (done * 1000) / (performance.now() - startedAt)
}

async function submitFromChildren(url: string): Promise<number> {
  await (await open(url))[Symbol.asyncDispose]()
  const children = Array.from({ length: processes }, () => fork(fileURLToPath(import.meta.url), [url]))
  await Promise.all(children.map((each) => once(each, 'message')))
  const startedAt = performance.now()
  await Promise.all(
    children.map(async (each) => {
      const ended = once(each, 'exit')
      each.send('go')
      await ended
    }),
  )
  return (most * 1000) / (performance.now() - startedAt)
}

async function submitAsChild(url: string): Promise<void> {
  const store = await open(url)
  const submit = (index: number) => store.queue.enqueue(makeSubmission({ accountId: `account-${index % 10}` }), options)
  await measureRate(100, inFlight, submit)
  process.send?.('ready')
  await once(process, 'message')
  await measureRate(most / processes, inFlight / processes, submit)
  process.disconnect()
  await store[Symbol.asyncDispose]()
}
