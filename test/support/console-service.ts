import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify'
import type { ConsoleDependencies, ConsoleSettings, SignInSettings } from '../../src/console/console-dependencies.ts'
import { registerConsole } from '../../src/console/register-console.ts'
import { createFirstRunLink } from '../../src/console/sign-in/create-first-run-link.ts'
import { PasswordHasher } from '../../src/console/sign-in/password-hasher.ts'
import { authenticateSession } from '../../src/console/sign-in/session.ts'
import type { ModelCatalog } from '../../src/core/ports/model-catalog.ts'
import type { OutputStore } from '../../src/core/ports/output-store.ts'
import type { Store } from '../../src/core/ports/store.ts'
import type { TextModel } from '../../src/core/ports/text-model.ts'
import { createHttpServer } from '../../src/http/create-http-server.ts'
import type { HttpDependencies } from '../../src/http/http-dependencies.ts'
import { createAccount } from '../../src/operations/access/accounts.ts'
import type { BodyRecorder } from '../../src/operations/bodies/body-recorder.ts'
import { InferenceEvents } from '../../src/operations/deferred/inference-events.ts'
import { createLocalPullDesk, ModelPulls, type PullModel } from '../../src/operations/model-pulls.ts'
import { inspectImage } from '../../src/runtimes/diffusion/pictures/inspect-image.ts'
import { createFakeCatalog } from '../../src/runtimes/fake/fake-catalog.ts'
import { createFakeTextModel } from '../../src/runtimes/fake/fake-text-model.ts'
import { createFixedModelPool } from '../../src/runtimes/fake/fixed-model-pool.ts'
import { idleTally } from './cluster/node-report.ts'
import { type SettingChanges, settingsWith } from './http-service.ts'
import { createMemoryBodyKeys } from './memory/create-memory-body-keys.ts'
import { createMemoryOutputs } from './memory/create-memory-outputs.ts'
import { createMemoryStore } from './memory/create-memory-store.ts'
import { createTestBodies, unobservedInterface } from './memory/unobserved.ts'
import { createTestAssets } from './test-assets.ts'
import { createTestClock, type TestClock } from './test-clock.ts'

const hourMs = 60 * 60 * 1000
const signal = new AbortController().signal
/** Cheap settings for tests; those of a service take 0.3 s per password. */
const cheapHashes = { N: 2 ** 4, r: 1, p: 1 }
const standardSignIn: SignInSettings = { sessionMs: 14 * 24 * 60 * 60 * 1000, local: true, secondFactor: 'optional', openId: null }

/** The console and the public interface over fakes, without a network. */
export interface ConsoleService {
  readonly server: FastifyInstance
  readonly store: Store
  readonly outputs: OutputStore
  readonly bodies: BodyRecorder
  readonly clock: TestClock
  readonly ownerId: string
  /** The code of the first-run link. */
  readonly firstCode: string
  /** Sends a request as the console's own page does, with the cookie of a signed-in browser where given. */
  send(
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: string,
    options?: {
      readonly body?: object
      readonly cookie?: string
      readonly headers?: Record<string, string>
      /** Where it comes from; 127.0.0.1 where it is left out. */
      readonly address?: string
    },
  ): Promise<LightMyRequestResponse>
  /** The addresses of refused sign-ins, in their order. */
  readonly refused: readonly string[]
  /** The reported faults. */
  readonly faults: readonly unknown[]
  /** Uses a code up and returns the new browser's cookie. */
  join(code: string, email: string): Promise<string>
}

/** Starts it with the first owner, whose sign-in the first code sets. */
export async function startConsoleService({
  publicUrl = 'http://127.0.0.1:8080',
  imageUrl = publicUrl,
  textUrl = publicUrl,
  settings = {},
  signIn = {},
  pullModel = () => Promise.reject(new Error('Nothing is pulled here.')),
  searchHub = () => Promise.resolve([]),
  leftOutFiles = () => [],
  limits = [],
  pulledModels = { has: () => false, findLeftOut: () => undefined, remove: () => Promise.reject(new Error('Nothing was pulled here.')) },
  modelServers = () => [],
  outputs: given,
  catalog = createFakeCatalog(),
  text,
  clock = createTestClock(),
  store = createMemoryStore({ clock, limits: { maxPending: 100 } }),
}: {
  publicUrl?: string
  imageUrl?: string
  textUrl?: string
  settings?: SettingChanges
  signIn?: Partial<SignInSettings>
  pullModel?: PullModel
  searchHub?: ConsoleDependencies['searchHub']
  pulledModels?: ConsoleDependencies['pulledModels']
  leftOutFiles?: ConsoleDependencies['leftOutFiles']
  limits?: ConsoleSettings['limits']
  modelServers?: ConsoleDependencies['modelServers']
  outputs?: OutputStore
  catalog?: ModelCatalog
  /** The model behind `fake-chat`; the fake unless a test passes another. */
  text?: TextModel
  clock?: TestClock
  /** Of another service, to be a second node beside it. */
  store?: Store
} = {}): Promise<ConsoleService> {
  const outputs = given ?? createMemoryOutputs({ clock })
  const refused: string[] = []
  const faults: unknown[] = []
  const addresses = () => ({ publicUrl, imageUrl, asyncUrl: publicUrl, textUrl })
  const guarded = { ...store, clock, addresses, allowedHosts: ['sepia.test'] }
  const owner = await createAccount(guarded, { name: 'Owner', role: 'owner' }, { signal })
  const bodyKeys = createMemoryBodyKeys()
  const bodies = createTestBodies({ ...store, outputs, clock, keys: bodyKeys })
  const deps: HttpDependencies = {
    ...unobservedInterface(),
    ...guarded,
    books: store.usage,
    deadlineClock: createTestClock(),
    catalog,
    pool: createFixedModelPool({ text: { 'fake-chat': text ?? createFakeTextModel({ clock }) } }),
    outputs,
    assets: createTestAssets({ store, clock, catalog }),
    events: new InferenceEvents(clock),
    bodies,
    inspectImage: async (bytes, inspecting) =>
      inspecting.thumbnailWidth === undefined ? { format: 'png', width: 8, height: 8 } : inspectImage(bytes, inspecting),
    recordRequest: (record) => void store.requests.append([record], { signal }),
    isDraining: () => false,
    fetchPicture: null,
    renderMetrics: () => '',
    observer: { watchWork: () => () => {}, requestFinished() {}, workFinished() {}, faultSurvived() {}, promptLogged() {} },
    authenticateSession: (request, options) => authenticateSession(guarded, request, options),
  }
  const server = await createHttpServer(deps, settingsWith(settings))
  await registerConsole(
    server,
    {
      ...deps,
      ...guarded,
      catalogFor: (accountId) => deps.assets.library.catalogFor(accountId),
      bodyKeys,
      passwords: new PasswordHasher(cheapHashes),
      pulls: createLocalPullDesk(new ModelPulls(pullModel, clock)),
      searchHub,
      pulledModels,
      leftOutFiles,
      tally: () => idleTally,
      modelServers,
      onFault: ({ error }) => faults.push(error),
      onOutdated: () => {},
      onSignInRefused: ({ address }) => refused.push(address),
    },
    {
      version: '0.0.0',
      mostTokens: 1000,
      command: './sepia',
      currency: 'EUR',
      mostBodyBytes: 32 * 1024 ** 2,
      maxDocumentBytes: 1_000_000,
      openOnLoopback: settings.listen?.openOnLoopback ?? false,
      requestLog: { mostKeepMs: 48 * hourMs, mostBytes: 1_000_000 },
      limits,
      signIn: { ...standardSignIn, ...signIn },
    },
  )
  const link = await createFirstRunLink({ ...guarded, shared: false }, { signal })
  const { host } = new URL(publicUrl)
  const send: ConsoleService['send'] = async (method, path, { body, cookie, headers, address } = {}) => {
    const options: InjectOptions = {
      method,
      url: path,
      headers: {
        host,
        'sec-fetch-site': 'same-origin',
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(cookie !== undefined && { cookie }),
        ...headers,
      },
      ...(body !== undefined && { payload: JSON.stringify(body) }),
      ...(address !== undefined && { remoteAddress: address }),
    }
    return server.inject(options)
  }
  return {
    server,
    store,
    bodies,
    outputs,
    clock,
    refused,
    faults,
    ownerId: owner.id,
    firstCode: link?.split('#')[1] ?? '',
    send,
    async join(code, email) {
      const answer = await send('POST', '/console/api/sign-up', { body: { code, name: 'Ada', email, password: 'a poet of science' } })
      return String(answer.headers['set-cookie']).split(';')[0] ?? ''
    },
  }
}
