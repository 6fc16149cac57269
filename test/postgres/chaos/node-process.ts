/**
 * One node under chaos: submits, claims, renews, completes and sweeps, and writes every answer to standard output, a line of JSON each.
 *
 * Run: `node node-process.ts <checkout> <database-url> all|finish`, where `finish` submits nothing; ends at the end of its standard input.
 */
import { createHash, randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { Claim } from '../../../src/core/ports/inference-queue.ts'
import type { PostgresStore } from '../../../src/storage/postgres/open-postgres-store.ts'
import { makeSubmission } from '../../support/submission.ts'
import type { NodeLine } from './node-line.ts'

const [root = '', url = '', task = 'all'] = process.argv.slice(2)
const leaseMs = 1500
const options = { signal: new AbortController().signal }
const { openPostgresStore } = await import(join(root, 'src/storage/postgres/open-postgres-store.ts'))
const { createSystemClock } = await import(join(root, 'src/composition/system-clock.ts'))
const clock = createSystemClock()
const held = new Map<string, Claim>()
let ending = false
process.stdin.resume().on('end', () => {
  ending = true
})

const store: PostgresStore = await untilDone(() => openPostgresStore({ url, clock, limits: { maxPending: 200 }, mode: 'service' }))
say({ what: 'ready' })
await Promise.all([
  ...(task === 'all' ? [repeat(submit, 5)] : []),
  repeat(work, 1),
  repeat(work, 1),
  repeat(renew, 300),
  repeat(sweep, 400),
])
await store[Symbol.asyncDispose]()

async function submit(): Promise<void> {
  const id = randomUUID()
  const { inference } = await store.queue.enqueue(
    makeSubmission({ accountId: `account-${id.charCodeAt(0) % 5}`, idempotency: { key: id, fingerprint: 'f' } }),
    options,
  )
  say({ what: 'acknowledged', id: inference.id })
}

async function work(): Promise<void> {
  const rooms = [{ model: 'fake-image', room: 4 }]
  const claims = await store.queue.claim({ workerId: String(process.pid), rooms, limit: 4, leaseMs }, options)
  await Promise.all(claims.map(run))
  if (claims.length === 0) await store.queue.waitForWork(100, options)
}

async function run(claim: Claim): Promise<void> {
  held.set(claim.id, claim)
  say({ what: 'started', id: claim.id, attempt: claim.attempt })
  // Some work is long in every attempt, so that a paused node wakes while another runs what it holds.
  await clock.wait(/[0-3]$/.test(claim.id) ? 1000 : 20, options)
  const key = `${claim.id}.${claim.attempt}.${process.pid}`
  const output = { key, contentType: 'text/plain', bytes: key.length, sha256: createHash('sha256').update(key).digest('hex') }
  const answer = await untilDone(() => store.queue.complete(claim, { completion: { outcome: 'succeeded', output }, usage: null }, options))
  held.delete(claim.id)
  say({ what: answer, id: claim.id, attempt: claim.attempt })
}

async function renew(): Promise<void> {
  const holds = [...held.values()].map(({ id, attempt }) => ({ id, attempt, progress: null }))
  await store.queue.renew(holds, { ...options, leaseMs })
}

async function sweep(): Promise<void> {
  await store.queue.sweep({ maxQueueMs: 60 * 60_000, spared: [...held.values()] }, options)
}

async function repeat(action: () => Promise<void>, pauseMs: number): Promise<void> {
  while (!ending) {
    await action().catch(() => {})
    await clock.wait(pauseMs, options)
  }
}

async function untilDone<Result>(action: () => Promise<Result>): Promise<Result> {
  for (;;) {
    try {
      return await action()
    } catch {
      await clock.wait(100, options)
    }
  }
}

function say(line: NodeLine): void {
  process.stdout.write(`${JSON.stringify(line)}\n`)
}
