import { EventEmitter, once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { createSystemClock } from '../../src/composition/system-clock.ts'
import { parseConfig } from '../../src/config/load-config.ts'
import type { Config } from '../../src/config/settings.ts'
import type { Scope } from '../../src/core/access-token.ts'
import { ServiceError } from '../../src/core/error.ts'
import type { InspectedImage, InspectImage } from '../../src/core/images/inspect-image.ts'
import type { Clock } from '../../src/core/ports/clock.ts'
import type { QueueLimits } from '../../src/core/ports/inference-queue.ts'
import type { ModelCatalog } from '../../src/core/ports/model-catalog.ts'
import type { ModelPool } from '../../src/core/ports/model-pool.ts'
import type { Store } from '../../src/core/ports/store.ts'
import type { FinishedRequest } from '../../src/core/requests/request-record.ts'
import type { UsageEntry } from '../../src/core/usage.ts'
import { createHttpServer } from '../../src/http/create-http-server.ts'
import type { HttpDependencies } from '../../src/http/http-dependencies.ts'
import type { HttpSettings } from '../../src/http/http-settings.ts'
import { publishedBodies } from '../../src/http/wire/chat/sampling-fields.ts'
import { encodeOutput } from '../../src/http/wire/deferred/encode-output.ts'
import { createAccessToken } from '../../src/operations/access/access-tokens.ts'
import { createAccount } from '../../src/operations/access/accounts.ts'
import { InferenceEvents } from '../../src/operations/deferred/inference-events.ts'
import { inspectImage } from '../../src/runtimes/diffusion/pictures/inspect-image.ts'
import { createFakeCatalog } from '../../src/runtimes/fake/fake-catalog.ts'
import { createFakeImageModel } from '../../src/runtimes/fake/fake-image-model.ts'
import { createFakeTextModel } from '../../src/runtimes/fake/fake-text-model.ts'
import { createFixedModelPool } from '../../src/runtimes/fake/fixed-model-pool.ts'
import { startWorker, type Worker } from '../../src/worker/start-worker.ts'
import type { WorkerDependencies } from '../../src/worker/worker-dependencies.ts'
import { createMemoryBodyKeys } from './memory/create-memory-body-keys.ts'
import { createMemoryOutputs } from './memory/create-memory-outputs.ts'
import { createMemoryStore } from './memory/create-memory-store.ts'
import { createTestBodies, unobservedInterface, unobservedWork } from './memory/unobserved.ts'
import { createTestAssets } from './test-assets.ts'
import { createTestClock } from './test-clock.ts'

const signal = new AbortController().signal

const parsed = parseConfig(
  { flags: {}, environment: {}, file: null },
  { cores: 4, memoryBytes: 8 * 1024 ** 3, terminal: false, folder: '/srv/sepia' },
)
if ('faults' in parsed) throw new TypeError('The defaults of the settings are not valid')
/** The defaults of the settings table. */
export const standardConfig: Config = parsed.config
const { listen, models, requests, accounts, deferred } = standardConfig

/** The defaults of the settings table, with room for tests. */
export const standardSettings: HttpSettings = {
  listen: { ...listen, connectionsPerAddress: null },
  models,
  requests: { ...requests, bodyLimitBytes: 1024 * 1024 },
  accounts: { ...accounts, streams: 1000, documentBytes: 1e9 },
  deferred,
  ...publishedBodies,
  probesOnly: false,
  pathPrefixes: [],
  connectionsInAll: null,
  bodyMemory: { totalBytes: 256 * 1024 * 1024, shareBytes: 64 * 1024 * 1024 },
}

/** Changes of {@link standardSettings}: some settings of a group. */
export type SettingChanges = Partial<
  { readonly [Group in 'listen' | 'models' | 'requests' | 'accounts' | 'deferred']: Partial<HttpSettings[Group]> } & Pick<
    HttpSettings,
    'connectionsInAll' | 'bodyMemory'
  >
>

export function settingsWith(changes: SettingChanges = {}): HttpSettings {
  const standard = standardSettings
  return {
    ...standard,
    ...changes,
    listen: { ...standard.listen, ...changes.listen },
    models: { ...standard.models, ...changes.models },
    requests: { ...standard.requests, ...changes.requests },
    accounts: { ...standard.accounts, ...changes.accounts },
    deferred: { ...standard.deferred, ...changes.deferred },
  }
}

export interface HttpServiceOptions {
  readonly clock?: Clock
  readonly catalog?: ModelCatalog
  readonly pool?: ModelPool
  readonly settings?: SettingChanges
  /** Of the store; in memory unless a test brings another. */
  readonly open?: (settings: { readonly clock: Clock; readonly limits: QueueLimits }) => Promise<Store> | Store
  /** Of the queue of deferred requests. */
  readonly limits?: QueueLimits
  readonly overrides?: Partial<HttpDependencies>
  /** Where uploads go and how much of them an account may keep. */
  readonly assets?: { readonly folder?: string; readonly bytesPerAccount?: number }
  /** Whether deferred requests are worked on; they stay pending otherwise. */
  readonly worker?: boolean
  /** Registers further routes before the server listens. */
  readonly extend?: (server: FastifyInstance, deps: HttpDependencies) => Promise<void>
}

/** The public interface over fakes and a store in memory, listening on a free port. */
export interface HttpService extends AsyncDisposable {
  readonly url: string
  readonly server: FastifyInstance
  readonly store: Store
  readonly accountId: string
  /** Of a token with every scope. */
  readonly token: string
  readonly finished: FinishedRequest[]
  readonly booked: UsageEntry[]
  readonly failures: unknown[]
  readonly prompts: string[]
  drain(): void
  /** Resolves when the head of so many requests has come in. */
  received(requests: number): Promise<void>
  /** Resolves when so many requests are over and reported. */
  settled(requests: number): Promise<void>
  /** Resolves when so many pieces of work are in the books. */
  inBooks(entries: number): Promise<void>
  makeToken(scopes: readonly Scope[], account?: { readonly accountId?: string; readonly expiresAt?: number }): Promise<string>
  /** Fetches with the token and a JSON content type, as the published clients do on every call. */
  fetch(path: string, init?: RequestInit & { readonly json?: unknown; readonly token?: string | null }): Promise<Response>
}

/** Resolves once no model of the pool is in use: a client receives the end of its answer before the model's slot is free. */
export async function untilIdle(pool: Pick<ModelPool, 'states'>): Promise<void> {
  while (pool.states().some(({ inUse }) => inUse > 0)) await new Promise((resolve) => setImmediate(resolve))
}

export async function startHttpService(options: HttpServiceOptions = {}): Promise<HttpService> {
  const clock = options.clock ?? createSystemClock()
  const { open = createMemoryStore } = options
  const store = await open({ clock, limits: options.limits ?? { maxPending: 100 } })
  const account = await createAccount({ ...store, clock }, { name: 'Ada', role: 'owner' }, { signal })
  const finished: FinishedRequest[] = []
  const booked: UsageEntry[] = []
  const failures: unknown[] = []
  const reports = new EventEmitter()
  const prompts: string[] = []
  let url = 'http://not-listening.example'
  let draining = false
  const catalog = options.catalog ?? createFakeCatalog()
  const outputs = createMemoryOutputs({ clock })
  const deps: HttpDependencies = {
    ...unobservedInterface(),
    ...store,
    books: store.usage,
    deadlineClock: createTestClock(),
    bodies: createTestBodies({ ...store, outputs, clock, keys: createMemoryBodyKeys() }),
    clock,
    catalog,
    priceOf: (model) => catalog.find(model)?.price ?? null,
    assets: createTestAssets({ store, clock, catalog, ...options.assets }),
    pool:
      options.pool ??
      createFixedModelPool({
        text: { 'fake-chat': createFakeTextModel({ clock }) },
        image: { 'fake-image': createFakeImageModel({ clock }) },
      }),
    outputs,
    events: new InferenceEvents(clock),
    inspectImage: inspectPng,
    fetchPicture: null,
    addresses: () => ({ publicUrl: url, imageUrl: url, asyncUrl: url, textUrl: url }),
    isDraining: () => draining,
    renderMetrics: () => '# nothing counted\n',
    observer: {
      watchWork: () => () => {},
      requestFinished: (request) => {
        finished.push(request)
        reports.emit('finished')
      },
      workFinished: (entry) => {
        booked.push(entry)
        reports.emit('booked')
      },
      faultSurvived: ({ error }) => failures.push(error),
      promptLogged: ({ prompt }) => prompts.push(prompt),
    },
    ...options.overrides,
  }
  await using stack = new AsyncDisposableStack()
  stack.use(store)
  if (options.worker === true) stack.use(startFakeWorker(deps))
  const server = await createHttpServer(deps, settingsWith(options.settings))
  stack.defer(async () => {
    server.server.closeAllConnections()
    await server.close()
  })
  await options.extend?.(server, deps)
  let receivedCount = 0
  server.server.on('request', () => {
    receivedCount += 1
    reports.emit('received')
  })
  await server.listen({ host: '127.0.0.1', port: 0 })
  url = `http://127.0.0.1:${portOf(server)}`
  const makeToken: HttpService['makeToken'] = async (scopes, { accountId = account.id, expiresAt } = {}) => {
    const made = await createAccessToken({ ...store, clock }, { accountId, name: 'test', scopes, expiresAt: expiresAt ?? null }, { signal })
    return made.text
  }
  const token = await makeToken(['text', 'image', 'read'])
  const owned = stack.move()
  return {
    url,
    server,
    store,
    accountId: account.id,
    token,
    finished,
    booked,
    failures,
    prompts,
    async received(requests) {
      while (receivedCount < requests) await once(reports, 'received')
    },
    async settled(requests) {
      while (finished.length < requests) await once(reports, 'finished')
    },
    async inBooks(entries) {
      while (booked.length < entries) await once(reports, 'booked')
    },
    drain: () => {
      draining = true
    },
    makeToken,
    fetch(path, { json, token: own = token, ...init } = {}) {
      const headers = new Headers({
        'content-type': 'application/json',
        accept: '',
        ...(own !== null && { authorization: `Bearer ${own}` }),
      })
      for (const [name, value] of new Headers(init.headers)) headers.set(name, value)
      return fetch(`${url}${path}`, {
        method: json === undefined ? 'GET' : 'POST',
        ...init,
        headers,
        ...(json !== undefined && { body: JSON.stringify(json) }),
      })
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

function startFakeWorker(deps: HttpDependencies): Worker {
  const encode: WorkerDependencies['encodeOutput'] = (work, result) => encodeOutput(deps, work, result)
  const settings = { workerId: 'test', concurrency: 4, leaseMs: 30_000, runLimitMs: standardSettings.requests.runLimitMs }
  const onOutput: WorkerDependencies['onOutput'] = (inference, output) => deps.bodies.recordOutput(inference, output)
  return startWorker({ ...unobservedWork, ...deps, encodeOutput: encode, onEvent: () => {}, onOutput }, settings)
}

function portOf(server: FastifyInstance): number {
  const address: AddressInfo | string | null = server.server.address()
  if (address === null || typeof address === 'string') throw new TypeError('The server listens on no port')
  return address.port
}

/** Reads only a PNG's header, like the first step of the real inspection. */
async function inspectPng(bytes: Uint8Array, options: Parameters<InspectImage>[1]): Promise<InspectedImage> {
  const { transparency = false, thumbnailWidth } = options
  if (thumbnailWidth !== undefined) return inspectImage(bytes, options)
  const view = Buffer.from(bytes)
  if (view.length < 24 || view.toString('latin1', 1, 4) !== 'PNG')
    throw new ServiceError('validation_error', 'The bytes are no image; send a PNG, JPEG or WebP file.')
  return { format: 'png', width: view.readUInt32BE(16), height: view.readUInt32BE(20), ...(transparency && { mask: bytes }) }
}
