/**
 * How many durable submissions a second does the running service accept over HTTP with 32 connections, and how many polls with 100 000 stored records,
 * half of them pending, with and without a log line for each request?
 *
 * The rivals, in the same run, are GET /healthz of the same service, which shows its HTTP server without a queue, and a bare node:http server that sends
 * the same number of bytes as a poll's answer, which shows the limit of the machine and the load generator. Service and load generator share the
 * processors; the processor time of both is printed for each request. The engine is paused under load.
 *
 * Run: `node bench/queue/over-http.ts`. With a folder, missing records are stored there first and kept for the next run. A number sets the rounds.
 */
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type autocannon from 'autocannon'
import { createSystemClock } from '../../src/composition/system-clock.ts'
import { openSqliteStore } from '../../src/storage/sqlite/open-sqlite-store.ts'
import { makePictureRequest } from '../../test/chaos/chaos-request.ts'
import { ServiceProcess } from '../../test/chaos/service-process.ts'
import { makeSubmission } from '../../test/support/submission.ts'
import { measureHttpLoad, startBareServer } from '../http-load.ts'
import { describeMachine, measureRate } from '../measure.ts'

const records = 100_000
const seconds = 6
const options = { signal: new AbortController().signal }

/** Least important lines that are logged: `info` has one for each request, and is the default. */
type Level = 'info' | 'warn'

/** The facts about a filled folder that a run needs. */
interface Stored {
  readonly token: string
  readonly ids: readonly string[]
}

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

async function fill(folder: string): Promise<Stored> {
  const known = join(folder, 'stored.json')
  if (existsSync(known)) return JSON.parse(await readFile(known, 'utf8'))
  await mkdir(folder, { recursive: true })
  await using service = open(folder, 'warn')
  await service.start()
  const { token } = service
  await service.terminate()
  const stored = { token, ids: await storeRecords(dataOf(folder)) }
  await writeFile(known, JSON.stringify(stored))
  return stored
}

function dataOf(folder: string): string {
  return join(folder, 'data')
}

function open(folder: string, logLevel: Level): ServiceProcess {
  return new ServiceProcess({
    root: fileURLToPath(new URL('../..', import.meta.url)),
    dataFolder: dataOf(folder),
    leaseMs: 30_000,
    logLevel,
    logFile: join(folder, 'service.log'),
    // One account sends everything: 160 000 pictures that are still to be drawn and kept.
    flags: { 'account-storage': '1tb' },
  })
}

/** Gives the only image engine something to do and stops it in the middle. */
async function occupyEngine(service: ServiceProcess, token: string): Promise<void> {
  const { path, body } = makePictureRequest(1, 200)
  const response = await fetch(service.url + path, { method: 'POST', headers: headersOf(token), body })
  if (response.status !== 202) throw new Error(`The submission was answered ${response.status}.`)
  while (service.enginePids().length === 0) await pause(50)
  await pause(3000)
  for (const pid of service.enginePids()) process.kill(pid, 'SIGSTOP')
}

function headersOf(token: string): Record<string, string> {
  return { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'x-service-async': '1' }
}

const kept = process.argv.slice(2).find((argument) => !/^\d+$/.test(argument))
const rounds = Number(process.argv.slice(2).find((argument) => /^\d+$/.test(argument)) ?? 2)
const folder = kept ?? (await mkdtemp(join(tmpdir(), 'sepia-bench-')))
try {
  const { token, ids } = await fill(folder)
  await using bareServer = await startBareServer()
  const health = (): autocannon.Request[] => [{ method: 'GET', path: '/healthz' }]
  // Each connection of the load generator prepares its own before it starts: 1 000 for each of them held its first answers for 0.3 s.
  let polled = 0
  const polls = (): autocannon.Request[] =>
    Array.from({ length: 32 }, () => {
      const id = ids[(polled++ * 7919) % records]
      return { method: 'GET', path: `/v1/requests/${id}`, headers: headersOf(token) }
    })
  const { path, body } = makePictureRequest(1, 1)
  const submits = (): autocannon.Request[] => [{ method: 'POST', path, body, headers: headersOf(token) }]
  console.log(describeMachine())
  for (const level of ['info', 'warn'] as const) {
    await using service = open(folder, level)
    await service.start()
    await occupyEngine(service, token)
    for (const [name, make] of Object.entries({ health, polls, submits }))
      await measureHttpLoad(`${level} warming ${name.padEnd(8)}`, service, make, 2)
    for (let round = 1; round <= rounds; round++) {
      const bare = await measureHttpLoad(`${level} ${round}: node:http`, bareServer, health, seconds)
      const healthy = await measureHttpLoad(`${level} ${round}: health   `, service, health, seconds)
      const requested = await measureHttpLoad(`${level} ${round}: polls    `, service, polls, seconds)
      const submitted = await measureHttpLoad(`${level} ${round}: submits  `, service, submits, seconds)
      const ratios = [healthy, requested, submitted].map((rate) => (rate / bare).toFixed(2))
      console.log(`${level} ${round}: ratios to node:http ${ratios.join(', ')}`)
    }
  }
} finally {
  if (kept === undefined) await rm(folder, { recursive: true, force: true })
}
