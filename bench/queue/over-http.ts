/**
 * How many durable submissions, and polls with 100 000 records stored and half of them pending, does the running service take over HTTP with 32
 * connections?
 *
 * The rival is GET /healthz of the same service in the same run: what its HTTP server does without a queue. The engine
 * is paused while the load runs, so that the processor is the interface's alone.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import autocannon from 'autocannon'
import { createSystemClock } from '../../src/composition/system-clock.ts'
import { openSqliteStore } from '../../src/storage/sqlite/open-sqlite-store.ts'
import { makePictureRequest } from '../../test/chaos/chaos-request.ts'
import { ServiceProcess } from '../../test/chaos/service-process.ts'
import { makeSubmission } from '../../test/support/submission.ts'
import { describeMachine, measureRate } from '../measure.ts'

const records = 100_000
const connections = 32
const seconds = 8
const rounds = 3
const options = { signal: new AbortController().signal }

/** Stores so many records of the service's first account, half of them pending for a model that is not there; returns their ids. */
async function storeRecords(dataFolder: string): Promise<readonly string[]> {
  const limits = { maxPending: Number.MAX_SAFE_INTEGER }
  await using store = await openSqliteStore({ file: join(dataFolder, 'sepia.db'), clock: createSystemClock(), limits, mode: 'service' })
  const [account] = await store.accounts.list(options)
  const accountId = account?.id ?? ''
  const ids: string[] = []
  await measureRate(records, 512, async (index) => {
    const { inference } = await store.queue.enqueue(makeSubmission({ accountId }), options)
    ids[index] = inference.id
    if (index % 2 === 0) await store.queue.cancel({ id: inference.id, accountId }, options)
  })
  return ids
}

/** Gives the only image engine something to do and stops it in the middle. */
async function occupyEngine(service: ServiceProcess): Promise<void> {
  await submit(service, makePictureRequest(1, 200))
  while (service.enginePids().length === 0) await pause(50)
  await pause(3000)
  for (const pid of service.enginePids()) process.kill(pid, 'SIGSTOP')
}

async function submit(service: ServiceProcess, { path, body }: { readonly path: string; readonly body: string }): Promise<void> {
  const response = await fetch(service.url + path, { method: 'POST', headers: headers(service), body })
  if (response.status !== 202) throw new Error(`The submission was answered ${response.status}.`)
}

function headers({ token }: ServiceProcess): Record<string, string> {
  return { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'x-service-async': '1' }
}

async function load(name: string, service: ServiceProcess, make: () => autocannon.Request[], duration = seconds): Promise<number> {
  const result = await autocannon({ url: service.url, connections, duration, setupClient: (client) => client.setRequests(make()) })
  const { latency } = result
  const refused = result.non2xx + result.errors + result.timeouts
  console.log(
    `${name}: ${Math.round(result.requests.average)}/s, p50 ${latency.p50} ms, p99 ${latency.p99} ms, max ${latency.max} ms, not 2xx ${refused}`,
  )
  return result.requests.average
}

const folder = await mkdtemp(join(process.cwd(), '.bench-'))
try {
  const dataFolder = join(folder, 'data')
  await using service = new ServiceProcess({
    root: fileURLToPath(new URL('../..', import.meta.url)),
    dataFolder,
    leaseMs: 30_000,
    logLevel: 'warn',
    // One account sends everything: 160 000 pictures that are still to be drawn and kept.
    flags: { 'account-storage': '1tb' },
  })
  await service.start()
  await service.terminate()
  const ids = await storeRecords(dataFolder)
  await service.start()
  await occupyEngine(service)
  const health = (): autocannon.Request[] => [{ method: 'GET', path: '/healthz' }]
  // Each connection of the load generator prepares its own before it starts: 1 000 for each of them held its first answers for 0.3 s.
  let polled = 0
  const polls = (): autocannon.Request[] =>
    Array.from({ length: 32 }, () => {
      const id = ids[(polled++ * 7919) % records]
      return { method: 'GET', path: `/v1/requests/${id}`, headers: headers(service) }
    })
  const { path, body } = makePictureRequest(1, 1)
  const submits = (): autocannon.Request[] => [{ method: 'POST', path, body, headers: headers(service) }]
  console.log(describeMachine())
  for (const [name, make] of Object.entries({ health, polls, submits })) await load(`warming: ${name.padEnd(8)}`, service, make, 2)
  for (let round = 1; round <= rounds; round++) {
    const bare = await load(`round ${round}: health  `, service, health)
    const asked = await load(`round ${round}: polls   `, service, polls)
    const submitted = await load(`round ${round}: submits `, service, submits)
    console.log(`round ${round}: ratio to health ${(asked / bare).toFixed(2)}, ${(submitted / bare).toFixed(2)}`)
  }
} finally {
  await rm(folder, { recursive: true, force: true })
}
