import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as pause } from 'node:timers/promises'
import { createSystemClock } from '../../src/composition/system-clock.ts'
import { registerConsole } from '../../src/console/register-console.ts'
import { PasswordHasher } from '../../src/console/sign-in/password-hasher.ts'
import { createAccount } from '../../src/operations/access/accounts.ts'
import { createModelPool } from '../../src/residency/model-pool.ts'
import { createFakeCatalog } from '../../src/runtimes/fake/fake-catalog.ts'
import { createProcessModelLoader } from '../../src/runtimes/process/process-model-loader.ts'
import { idleTally } from '../../test/support/cluster/node-report.ts'
import { startHttpService } from '../../test/support/http-service.ts'
import { createMemoryBodyKeys } from '../../test/support/memory/create-memory-body-keys.ts'
import { createMemoryStore } from '../../test/support/memory/create-memory-store.ts'
import type { BenchTarget, HeldReport } from './bench-target.ts'

// One server of the bench: `service`, or `bare`, a node:http server that reads every body to its end. It reports its address
// and, on request, the longest hold of its event loop and the memory it took.
const delay = monitorEventLoopDelay({ resolution: 1 })
let peakBytes = 0
let busyMs = 0
let busyBefore = threadMs()
// A timer fires in each turn of a busy event loop, so the time since its last call is that of one turn.
setInterval(() => {
  const busy = threadMs()
  busyMs = Math.max(busyMs, busy - busyBefore)
  busyBefore = busy
}, 1)
setInterval(() => {
  peakBytes = Math.max(peakBytes, process.memoryUsage.rss())
}, 50)
const target = process.argv[2] === 'bare' ? await startBare() : await startService()
delay.enable()
process.on('message', (wish) => {
  if (wish === 'reset') {
    delay.reset()
    peakBytes = 0
    busyMs = 0
  }
  const report: HeldReport = { heldMs: delay.max / 1e6, busyMs, peakBytes }
  process.send?.(report)
})
process.on('disconnect', () => process.exit())
process.send?.(target)

async function startService(): Promise<BenchTarget> {
  const clock = createSystemClock()
  const catalog = createFakeCatalog()
  const entry = new URL('./neighbour-engine.ts', import.meta.url)
  const loader = createProcessModelLoader({ textEntry: entry, imageEntry: entry, engineThreads: 1, textSlots: 32, clock, log: () => {} })
  const limits = {
    memoryBytes: 1e12,
    idleUnloadMs: null,
    textSlots: 32,
    textQueue: 64,
    imageQueue: 16,
    accountShare: 0.5,
    waitLimitMs: 60_000,
  }
  const store = createMemoryStore({ clock, limits: { maxPending: 100 } })
  const service = await startHttpService({
    catalog,
    open: () => store,
    pool: createModelPool({ catalog, loader, clock, limits, onEvent: () => {} }),
    settings: {
      requests: { bodyLimitBytes: 32 * 1024 * 1024 },
      bodyMemory: { totalBytes: 256 * 1024 * 1024, shareBytes: 64 * 1024 * 1024 },
    },
    extend: (server, deps) =>
      registerConsole(
        server,
        {
          ...deps,
          bodies: { of: () => null, refresh: async () => {} },
          bodyKeys: createMemoryBodyKeys(),
          passwords: new PasswordHasher(),
          catalogFor: () => deps.catalog,
          allowedHosts: [],
          searchHub: () => Promise.resolve([]),
          pulls: { list: () => [], start: () => false, remove: () => false },
          pulledModels: {
            has: () => false,
            findLeftOut: () => undefined,
            remove: () => Promise.reject(new Error('Nothing was pulled here.')),
          },
          leftOutFiles: () => [],
          modelServers: () => [],
          tally: () => idleTally,
          onOutdated: () => {},
          onSignInRefused: () => {},
          onFault: () => {},
          audit: store.audit,
          documents: store.documents,
          requests: store.requests,
        },
        {
          version: '0.0.0',
          command: 'sepia',
          currency: null,
          mostBodyBytes: 32 * 1024 ** 2,
          mostTokens: 1000,
          maxDocumentBytes: 1e9,
          openOnLoopback: false,
          requestLog: { mostKeepMs: 48 * 60 * 60 * 1000, mostBytes: 1e9 },
          limits: [],
          signIn: { sessionMs: 14 * 24 * 60 * 60 * 1000, local: true, secondFactor: 'optional', openId: null },
        },
      ),
  })
  const enemy = await createAccount(
    { ...service.store, clock },
    { name: 'Mallory', role: 'member' },
    { signal: new AbortController().signal },
  )
  return { url: service.url, honest: service.token, enemy: await service.makeToken(['text', 'image', 'read'], { accountId: enemy.id }) }
}

async function startBare(): Promise<BenchTarget> {
  const server = createServer(async (request, response) => {
    try {
      for await (const _ of request);
    } catch {
      return
    }
    if (request.headers.authorization === 'Bearer honest') await pause(50)
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
  })
  server.on('error', () => {})
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, honest: 'honest', enemy: 'enemy' }
}

/** Processor time of this thread. */
function threadMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}
