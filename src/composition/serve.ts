import { basename } from 'node:path'
import type { SettingReport } from '../config/load-config.ts'
import type { Config } from '../config/settings.ts'
import { registerConsole } from '../console/register-console.ts'
import { PasswordHasher } from '../console/sign-in/password-hasher.ts'
import { authenticateSession } from '../console/sign-in/session.ts'
import type { InspectionOptions } from '../core/images/inspect-image.ts'
import type { Inference } from '../core/inference.ts'
import type { Clock } from '../core/ports/clock.ts'
import type { Abortable } from '../core/waiting.ts'
import { createHttpServer } from '../http/create-http-server.ts'
import { WorkUnderWay } from '../operations/access/work-under-way.ts'
import { InferenceEvents } from '../operations/deferred/inference-events.ts'
import { watchStorage } from '../storage/filesystem/watch-data-folder.ts'
import { writeAheadLogOf } from '../storage/sqlite/connection.ts'
import { inferenceSubmitted, tallyOf } from '../telemetry/inference-events.ts'
import {
  consoleOutdated,
  databaseDoubtful,
  faultSurvived,
  observeProcess,
  serviceStarted,
  serviceStopped,
  serviceStopping,
  signInRefused,
} from '../telemetry/service-events.ts'
import { renderMetrics } from '../telemetry/telemetry.ts'
import { dataLayout } from './data-layout.ts'
import { greet } from './first-start.ts'
import { openAssets } from './models/open-assets.ts'
import { openEngines } from './models/open-engines.ts'
import { openPool } from './models/open-pool.ts'
import { searchModels } from './models/pull-to-data-folder.ts'
import { observeHttp } from './observe/observe-events.ts'
import { openTelemetry } from './observe/open-telemetry.ts'
import { openRecords } from './open-records.ts'
import { openStore, openWritableOutputs } from './open-store.ts'
import { ListeningAddress, noteRunningService } from './running-service.ts'
import { consoleSettings, httpSettings } from './server-settings.ts'
import { openSignIn } from './sign-in/open-sign-in.ts'
import { startDeferredWork } from './start-deferred-work.ts'
import { noteSettings, openInstalledModels } from './start-faults.ts'
import { AnswersInProgress, stopServing } from './stop-serving.ts'
import { createSteadyClock, createSystemClock } from './system-clock.ts'
import { findPictureFetch, findWaysOut } from './ways-out.ts'

/** Delay after the start before its memory is released. */
const quietMs = 2000

/**
 * Runs the service until the signal aborts, then drains it; prints `ready <url>` when it accepts requests.
 *
 * @throws {UsageError} with all unreadable model folders and all invalid combinations of settings.
 * @throws {Error} if the data folder or the address is in use.
 */
export async function serve(
  config: Config,
  {
    signal,
    print,
    report,
  }: { readonly signal: AbortSignal; readonly print: (text: string) => void; readonly report: readonly SettingReport[] },
): Promise<void> {
  const startedAt = performance.now()
  await using parts = new AsyncDisposableStack()

  const telemetry = parts.use(await openTelemetry(config))
  observeProcess(telemetry)
  noteSettings(config, telemetry, report)
  const installed = await openInstalledModels(config, telemetry, { signal })
  const waysOut = findWaysOut(config)
  const signIn = await openSignIn(config, waysOut)
  const onWarning = (warning: string) => databaseDoubtful(telemetry, { warning })
  const store = parts.use(await openStore(config, { clock: createSystemClock(), mode: 'service', onWarning }))
  const { accounts, clock } = store
  const outputs = await openWritableOutputs(config, { ...store, signal })
  const assets = await openAssets(config, { catalog: installed, store, clock }, { signal })
  const nameable = assets.library.everything
  const engines = parts.use(await openEngines(config, { nameable, clock, telemetry, waysOut }, { signal }))
  const models = parts.use(await openPool(config, { installed, assets, engines, store, telemetry }, { signal }))
  const records = parts.use(await openRecords(config, { store, outputs, telemetry }, { signal }))
  const { catalog, ownPool } = models
  const { bodies, bodyKeys, books, recorder } = records
  const events = new InferenceEvents(clock)
  store.onEndedElsewhere?.((ids) => {
    for (const id of ids) events.publish(id, { type: 'status', status: 'completed' })
  })
  const address = new ListeningAddress(config.addresses)
  const addresses = () => address.origins
  const { allowedHosts } = config.listen
  const everywhere = {
    ...store,
    outputs,
    catalog,
    catalogFor: (accountId: string) => assets.library.catalogFor(accountId),
    priceOf: (model: string) => catalog.find(model)?.price ?? null,
    events,
    bodies,
    addresses,
    inspectImage: (bytes: Uint8Array, options: InspectionOptions) => engines.pictures.inspect(bytes, options),
    underWay: new WorkUnderWay(),
    onSubmitted: ({ id, model, accountId }: Inference) => inferenceSubmitted(telemetry, { inferenceId: id, model, accountId }),
  }

  const watched = { ...store, owesUsage: () => books.owed > 0 }
  const findStorageFault =
    config.database.type === 'embedded' ? await watchStorage(config.dataFolder, watched, watchedPlaces(config)) : async () => null
  const server = await createHttpServer(
    {
      ...everywhere,
      books,
      deadlineClock: createSteadyClock(),
      assets,
      pool: models.pool,
      pulls: models.pulls,
      pulledModels: models.pulled,
      fetchPicture: findPictureFetch(config),
      isDraining: () => signal.aborted,
      findStorageFault,
      renderMetrics: () => renderMetrics(telemetry),
      observer: observeHttp(telemetry),
      recordRequest: (record) => recorder.record(record),
      authenticateSession: (request, options) => authenticateSession({ accounts, clock, addresses, allowedHosts }, request, options),
    },
    httpSettings(config),
  )
  // A start that fails after listening must not keep serving.
  parts.defer(async () => {
    server.server.closeAllConnections()
    await server.close()
  })
  const answersClients = config.cluster.role !== 'worker'
  if (answersClients)
    await registerConsole(
      server,
      {
        ...everywhere,
        bodyKeys,
        pool: models.pool,
        pulls: models.pulls,
        passwords: new PasswordHasher(),
        allowedHosts,
        clusterNodes: models.nodes,
        tally: () => tallyOf(telemetry),
        onFault: ({ requestId, error }) => faultSurvived(telemetry, { where: 'console', requestId }, error),
        onOutdated: () => consoleOutdated(telemetry),
        onSignInRefused: (event) => signInRefused(telemetry, event),
        pulledModels: models.pulled,
        leftOutFiles: () =>
          installed.faults.map(({ file, field, message }) => {
            return { file, reason: field === '' ? message : `${field}: ${message}`, removes: models.pulled.removalOf(file) }
          }),
        modelServers: (model) => engines.servers.of(model),
        searchHub: (words, options) => searchModels(config, words, options),
      },
      consoleSettings(config, signIn),
    )
  const answers = new AnswersInProgress(server.server)
  const { isLoadedElsewhere } = models
  // A single node leaves the whole queue to itself.
  const kindOf = (modelId: string) => (store.nodes === undefined ? undefined : nameable.find(modelId)?.kind)
  const worker = parts.use(startDeferredWork({ ...everywhere, pool: ownPool, isLoadedElsewhere, kindOf, telemetry }, config))

  const url = await address.listen(server, config.listen)
  await noteRunningService(config, url)
  serviceStarted(telemetry, { url, models: catalog.list().length, startMs: Math.round(performance.now() - startedAt) })
  if (answersClients) await greet(store, { print, addresses, config, url }, { signal })
  print(`ready ${url}\n`)
  void releaseStartMemory(answers, clock, { signal })

  await aborted(signal)
  serviceStopping(telemetry, { graceMs: config.requests.graceMs })
  await stopServing({ server, answers, worker, clock, leaveOthers: models.drain }, config.requests)
  serviceStopped(telemetry)
}

/** What must stay in the data folder and be writable there. */
function watchedPlaces({ dataFolder, outputs }: Config): { readonly files: readonly string[]; readonly inside: readonly string[] } {
  const { databaseFile, assetsFolder, outputsFolder } = dataLayout(dataFolder)
  const folders = outputs.type === 's3' ? [assetsFolder] : [assetsFolder, outputsFolder]
  return { files: [writeAheadLogOf(databaseFile)], inside: folders.map((folder) => basename(folder)) }
}

/** Returns the memory of the start to the system as soon as nobody waits; the process stands still meanwhile, for a tenth of a second. */
async function releaseStartMemory(answers: AnswersInProgress, clock: Clock, { signal }: Abortable): Promise<void> {
  try {
    do await clock.wait(quietMs, { signal })
    while (answers.count > 0)
    // V8 forgets the shape of objects of which none exists, and would handle all later ones of `nextTick` slowly: 2 µs per request.
    process.nextTick(() => {})
    globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' })
  } catch {
    // The service stops.
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => (signal.aborted ? resolve() : signal.addEventListener('abort', () => resolve(), { once: true })))
}
