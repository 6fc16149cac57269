import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { createTemporaryFolder } from '../support/temporary-folder.ts'
import { AcknowledgementLog } from './acknowledgement-log.ts'
import { buildWithoutFence } from './build-without-fence.ts'
import { Client } from './client.ts'
import { jumpClock } from './clock-jumps.ts'
import { drainDuringStream } from './drain-streams.ts'
import { fillDisk, mountSmallDisk } from './fill-disk.ts'
import { overtakeRunning } from './overtake-running.ts'
import { printReport, runChaos } from './run-chaos.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const leaseMs = 1000
// The runner reads /proc and stops processes by signals.
const skip = existsSync('/proc/self/status') ? false : 'needs Linux'

test('kills, pauses and rude clients neither lose, repeat nor damage acknowledged work', { skip }, async (context) => {
  await using folder = await createTemporaryFolder()
  const report = await runChaos({ root, dataFolder: `${folder.path}/data`, leaseMs, requests: 80, clients: 16, faultEvery: 10 })
  context.diagnostic(printReport(report))
  const { acknowledged, lost, duplicated, damaged, unexplained } = report.verdict
  assert.deepEqual({ lost, duplicated, damaged, unexplained }, { lost: [], duplicated: [], damaged: [], unexplained: [] })
  assert.equal(acknowledged, 80)
  assert.deepEqual([...report.tally.oversizedAnswers], [413])
})

test('a client asks an overloaded service again, and takes the failure of an inference as its end', async () => {
  const answers = [
    [503, 'server_is_overloaded'],
    [500, 'inference_failed'],
  ] as const
  let asked = 0
  await using server = createServer((_request, response) => {
    const [status, code] = answers[asked++] ?? answers[1]
    response.writeHead(status).end(JSON.stringify({ error: { code } }))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  await using folder = await createTemporaryFolder()
  using log = new AcknowledgementLog(join(folder.path, 'acknowledged'))
  const client = new Client({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, token: 'token' }, log)
  assert.deepEqual([(await client.fetchOutput('r1')).status, asked], [500, 2])
  server.closeAllConnections()
})

test('a worker paused beyond its lease cannot complete, and the checker detects it if it could', { skip }, async () => {
  await using folder = await createTemporaryFolder()
  const fenced = await overtakeRunning({ root, dataFolder: `${folder.path}/fenced`, leaseMs })
  assert.deepEqual([fenced.duplicated, fenced.damaged], [[], []])
  assert.ok(fenced.zombies > 0)
  const copy = `${folder.path}/copy`
  await buildWithoutFence({ root, target: copy })
  const unfenced = await overtakeRunning({ root: copy, dataFolder: `${folder.path}/unfenced`, leaseMs })
  assert.deepEqual([unfenced.duplicated.length, unfenced.damaged.length, unfenced.zombies], [1, 1, 0])
})

test('outputs expire by the clock of the service: kept an hour earlier, gone 25 hours later', { skip }, async () => {
  await using folder = await createTemporaryFolder()
  const report = await jumpClock({ root, dataFolder: `${folder.path}/data`, leaseMs })
  assert.deepEqual(report, { hourBack: 200, madeHourBack: 200, dayLater: { response: 410, poll: 200 }, filesLeft: 0 })
})

test('a full disk rejects new work, and acknowledged work still completes', { skip }, async (context) => {
  await using folder = await createTemporaryFolder()
  using disk = mountSmallDisk(`${folder.path}/disk`)
  if (disk === null) return context.skip('needs the right to mount')
  const { verdict, whileFull } = await fillDisk({ root, dataFolder: `${disk.path}/data`, leaseMs }, disk.path)
  context.diagnostic(`answers while full: ${[...new Set(whileFull)].join(', ')}`)
  assert.deepEqual([verdict.lost, verdict.duplicated, verdict.damaged, verdict.unexplained], [[], [], [], []])
  assert.ok(whileFull.includes(503), 'no submission was refused')
})

test('SIGTERM lets a stream finish and returns deferred work to the queue', { skip }, async () => {
  await using folder = await createTemporaryFolder()
  const reports = await drainDuringStream({ root, dataFolder: `${folder.path}/data`, leaseMs }, 1)
  assert.deepEqual(
    reports,
    reports.map(() => ({ streamFinished: true, exitCode: 0, deferredOutcome: 'succeeded' })),
  )
})
