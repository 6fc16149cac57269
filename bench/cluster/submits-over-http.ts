/**
 * How many asynchronous requests a second does an API node of a cluster accept over HTTP with 32 connections?
 *
 * The cluster has a node of the role `api` on a durable PostgreSQL server on disk, and a full worker, so that submitted requests stay in the queue. The
 * rivals, in the same run, are GET /healthz of the same node and a bare node:http server, which shows the limit of the machine and the load generator.
 * All share the processors; PostgreSQL's processor time is printed too.
 */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type autocannon from 'autocannon'
import { promptOf, startWatchedModel } from '../../test/chaos/cluster/watched-model.ts'
import { ServiceProcess } from '../../test/chaos/service-process.ts'
import { startFaultyS3Server } from '../../test/support/s3/faulty-s3-server.ts'
import { createTemporaryFolder } from '../../test/support/temporary-folder.ts'
import { measureHttpLoad, startBareServer } from '../http-load.ts'
import { createDatabase, startBenchServer } from '../postgres/bench-server.ts'
import { readProcessorMs } from '../processor-time.ts'

const seconds = 6
const rounds = Number(process.argv[2] ?? 3)
const hourMs = 3_600_000

await using folder = await createTemporaryFolder()
await using server = await startBenchServer()
await using bucket = await startFaultyS3Server()
await using model = await startWatchedModel()
await mkdir(join(folder.path, 'models/watched'), { recursive: true })
await writeFile(
  join(folder.path, 'models/watched/model.json'),
  JSON.stringify({ id: 'watched', kind: 'text', format: 'openai', url: model.url, slots: 1 }),
)
const environment = {
  SEPIA_DATABASE_URL: await createDatabase(server, 'cluster'),
  SEPIA_S3_URL: `${bucket.address.endpoint.replace('//', '//key:secret@')}/outputs`,
  SEPIA_CLUSTER_SECRET: 'a secret of all nodes',
}
await using api = start('api', {})
await api.start()
await using worker = start('worker', { SEPIA_MODELS: join(folder.path, 'models') })
await worker.start()

const headers = { authorization: `Bearer ${api.token}`, 'content-type': 'application/json', 'x-service-async': '1' }
const requestOf = (name: string, workMs: number) =>
  JSON.stringify({ model: 'watched', messages: [{ role: 'user', content: promptOf(name, workMs) }] })
await occupyWorker()

const health = (): autocannon.Request[] => [{ method: 'GET', path: '/healthz' }]
const submits = (): autocannon.Request[] => [{ method: 'POST', path: '/v1/chat/completions', headers, body: requestOf('waiting', 1) }]
await using bare = await startBareServer()
await measureHttpLoad('warming: submits  ', api, submits, 3)
for (let round = 1; round <= rounds; round++) {
  const most = await measureHttpLoad(`round ${round}: node:http`, bare, health, seconds)
  const healthy = await measureHttpLoad(`round ${round}: health   `, api, health, seconds)
  const before = readProcessorMs(server.pid())
  const submitted = await measureHttpLoad(`round ${round}: submits  `, api, submits, seconds)
  const each = (1000 * (readProcessorMs(server.pid()) - before)) / (submitted * seconds)
  console.log(
    `round ${round}: PostgreSQL ${each.toFixed(0)} µs each; ratios to node:http ${(healthy / most).toFixed(2)}, ${(submitted / most).toFixed(2)}`,
  )
}

function start(role: 'api' | 'worker', further: Readonly<Record<string, string>>): ServiceProcess {
  return new ServiceProcess({
    root: fileURLToPath(new URL('../..', import.meta.url)),
    dataFolder: join(folder.path, role),
    leaseMs: 30_000,
    logLevel: 'warn',
    environment: { ...environment, ...further },
    // One account sends everything.
    flags: { role, 'account-storage': '1tb' },
  })
}

/** Gives the only slot of the only model something to do for an hour; the first submission waits until the nodes know each other. */
async function occupyWorker(): Promise<void> {
  for (;;) {
    const response = await fetch(`${api.url}/v1/chat/completions`, { method: 'POST', headers, body: requestOf('first', hourMs) })
    if (response.status === 202) break
    await pause(100)
  }
  while (!model.runs.has('first')) await pause(50)
}
