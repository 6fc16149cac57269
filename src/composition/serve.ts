import { leadsNobodyElse } from '../config/addresses.ts'
import { mostDescriptors, warnOfDescriptors } from '../config/file-descriptors.ts'
import type { SettingReport } from '../config/load-config.ts'
import { readEnvironment, readMachine } from '../config/process-environment.ts'
import type { Config } from '../config/settings.ts'
import { registerConsole } from '../console/register-console.ts'
import { authenticateSession } from '../console/sign-in/authenticate-session.ts'
import { createFirstRunLink } from '../console/sign-in/create-first-run-link.ts'
import { PasswordHasher } from '../console/sign-in/password-hasher.ts'
import { listUpscalers } from '../core/images/upscalers.ts'
import { createHttpServer } from '../http/create-http-server.ts'
import { AccountWeights } from '../operations/access/account-weights.ts'
import { WorkUnderWay } from '../operations/access/work-under-way.ts'
import { BodyRecorder } from '../operations/bodies/body-recorder.ts'
import { InferenceEvents } from '../operations/deferred/inference-events.ts'
import { ModelPulls } from '../operations/model-pulls.ts'
import { PatientUsageLog } from '../operations/patient-usage-log.ts'
import { RequestRecorder } from '../operations/requests/request-recorder.ts'
import { createModelPool } from '../residency/model-pool.ts'
import { findConfinement } from '../runtimes/process/confine/find-confinement.ts'
import { PictureInspector } from '../runtimes/process/picture-inspector.ts'
import { createProcessModelLoader } from '../runtimes/process/process-model-loader.ts'
import { openMeasuredMemory } from '../storage/filesystem/open-measured-memory.ts'
import { watchDataFolder, watchStorage } from '../storage/filesystem/watch-data-folder.ts'
import { writeAheadLogOf } from '../storage/sqlite/connection.ts'
import { inferenceSubmitted, tallyOf } from '../telemetry/inference-events.ts'
import { modelFaulty, modelFieldIdle, observeModels, serverChanged, tokensUncounted } from '../telemetry/model-events.ts'
import {
  databaseDoubtful,
  descriptorsScarce,
  enginesConfined,
  faultSurvived,
  observeBodyLog,
  observeProcess,
  serviceStarted,
  serviceStopped,
  serviceStopping,
  settingReplaced,
  signInRefused,
} from '../telemetry/service-events.ts'
import { renderMetrics } from '../telemetry/telemetry.ts'
import { joinCluster } from './cluster/join-cluster.ts'
import { dataLayout } from './data-layout.ts'
import { findGpuMemory, mayHaveGpu } from './devices/devices.ts'
import { greetFirstStart } from './first-start.ts'
import { ListeningAddress } from './listening-address.ts'
import { followPulledModels } from './models/follow-pulled-models.ts'
import { openAssets, tidyAssets } from './models/open-assets.ts'
import { allModelFolders, openModels } from './models/open-models.ts'
import { pullToDataFolder, searchModels } from './models/pull-to-data-folder.ts'
import { reachUpstreams, ServerHealth } from './models/reach-upstreams.ts'
import { countGenerated, observeEngines, observeHttp, observePool } from './observe/observe-events.ts'
import { openTelemetry } from './observe/open-telemetry.ts'
import { openRequestLogKeys, openStore, openWritableOutputs } from './open-store.ts'
import { noteRunningService } from './running-service.ts'
import { consoleSettings, httpSettings } from './server-settings.ts'
import { findSignInFaults, openSignIn } from './sign-in/open-sign-in.ts'
import { startDeferredWork } from './start-deferred-work.ts'
import { findClusterFaults, findMissingHardware } from './start-faults.ts'
import { AnswersInProgress, stopServing } from './stop-serving.ts'
import { createSteadyClock, createSystemClock } from './system-clock.ts'
import { findWaysOut } from './ways-out.ts'

/**
 * Runs the service until the signal is aborted and everything is drained; prints `ready <url>` once it answers.
 *
 * @throws {UsageError} with every folder of models that cannot be read, and every fault of settings that this version cannot follow.
 * @throws {Error} naming the fault when the data folder is taken or the address is in use.
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
  for (const { source, replacedBy } of report) if (replacedBy !== undefined) settingReplaced(telemetry, { source, replacedBy })
  const scarce = warnOfDescriptors(mostDescriptors(), config.listen.connectionsPerAddress)
  if (scarce !== null) descriptorsScarce(telemetry, { warning: scarce })
  const faults = [...findClusterFaults(config), ...findSignInFaults(config), ...(await findMissingHardware(config, { signal }))]
  const installed = await openModels(config, faults)
  for (const idle of installed.idleFields) modelFieldIdle(telemetry, idle)
  for (const fault of installed.faults) modelFaulty(telemetry, fault)
  const waysOut = findWaysOut(config)
  const signIn = await openSignIn(config, waysOut)
  const onWarning = (warning: string) => databaseDoubtful(telemetry, { warning })
  const store = parts.use(await openStore(config, { clock: createSystemClock(), mode: 'service', onWarning }))
  const { clock, queue, log, accounts, tokens, usage, ledger, counts, documents, webhooks, audit, requests } = store
  const outputs = await openWritableOutputs(config, { ...store, signal })
  const assets = await openAssets(config, { catalog: installed, store, clock }, { signal })
  const nameable = assets.library.everything
  const confinement = await findConfinement({ environment: readEnvironment() })
  const { closeFiles, closeNetwork, limitMemory } = confinement
  enginesConfined(telemetry, { files: closeFiles !== null, network: closeNetwork !== null, memory: limitMemory !== null })
  const gpu = config.models.gpu === 'auto' && !mayHaveGpu() ? 'off' : config.models.gpu
  const engines = createProcessModelLoader({
    textEntry: new URL('./text-engine.ts', import.meta.url),
    imageEntry: new URL('./image-engine.ts', import.meta.url),
    engineThreads: config.models.threads,
    textSlots: config.models.textSlots,
    findAsset: (kind, name) => nameable.findAsset(kind, name),
    findUpscaler: (name) => listUpscalers(nameable).find(({ id }) => id === name)?.upscaler,
    assetFolders: [...allModelFolders(config), dataLayout(config.dataFolder).assetsFolder],
    gpu,
    gpuDevice: config.models.gpuDevice,
    confinement,
    memoryBytes: config.models.memoryBytes,
    clock,
    log: observeEngines(telemetry),
  })
  const pictures = parts.use(
    new PictureInspector({ entry: new URL('./picture-engine.ts', import.meta.url), confinement, clock, log: observeEngines(telemetry) }),
  )
  const limits = {
    ...config.models,
    machineBytes: readMachine().memoryBytes,
    gpuMemoryBytes: await findGpuMemory({ ...config.models, gpu }, { signal }),
    waitLimitMs: config.requests.waitLimitMs,
    accountShare: config.accounts.share,
  }
  const measured = await openMeasuredMemory(dataLayout(config.dataFolder).measuredMemoryFile)
  const servers = new ServerHealth()
  const loader = reachUpstreams(engines, {
    health: servers,
    onServer: (change) => serverChanged(telemetry, change),
    onUncounted: (modelId) => tokensUncounted(telemetry, { modelId }),
    traceparent: () => telemetry.traces.traceparent(),
    findRoute: waysOut.findRoute,
  })
  const weights = new AccountWeights({ accounts, clock, onFault: (error) => faultSurvived(telemetry, { where: 'account-weights' }, error) })
  const weightOf = (account: string) => weights.of(account)
  const ownPool = parts.use(
    createModelPool({ catalog: nameable, loader, clock, limits, weightOf, measured, onEvent: observePool(telemetry) }),
  )
  observeModels(telemetry, () => ownPool.states())
  parts.use(tidyAssets({ ...assets, log, pool: ownPool, telemetry }, config))
  const pulled = parts.use(
    followPulledModels({ catalog: installed, pool: ownPool, clock, telemetry, pulledFolder: dataLayout(config.dataFolder).modelsFolder }),
  )
  const isDraining = () => signal.aborted
  const ownPulls = new ModelPulls(async (source, options) => pulled.admit(await pullToDataFolder(config, source, options)), clock)
  parts.defer(() => ownPulls.close())
  const { catalog, pool, pulls, ...cluster } = await joinCluster(
    { installed, nameable, registry: store.nodes, pool: countGenerated(ownPool, telemetry), pulls: ownPulls, clock, isDraining, telemetry },
    config,
    { signal },
  )
  parts.use(cluster)
  const priceOf = (model: string) => catalog.find(model)?.price ?? null
  const events = new InferenceEvents(clock)
  store.onEndedElsewhere?.((ids) => {
    for (const id of ids) events.publish(id, { type: 'status', status: 'completed' })
  })
  const underWay = new WorkUnderWay()

  const books = parts.use(
    new PatientUsageLog(usage, { clock, onFault: (error) => faultSurvived(telemetry, { where: 'book-usage' }, error) }),
  )
  const recorder = parts.use(
    new RequestRecorder(requests, { onFault: (error) => faultSurvived(telemetry, { where: 'record-request' }, error) }),
  )
  const keys = await openRequestLogKeys(config)
  const bodies = parts.use(
    new BodyRecorder({
      documents,
      outputs,
      clock,
      keys,
      mostBytes: config.accounts.requestLog.mostBytes,
      onDropped: observeBodyLog(telemetry, clock),
      onFault: (error) => faultSurvived(telemetry, { where: 'request-log' }, error),
    }),
  )
  await bodies.refresh({ signal })
  const address = new ListeningAddress(config.addresses)
  const addresses = () => address.origins
  const { allowedHosts } = config.listen
  const server = await createHttpServer(
    {
      queue,
      log,
      outputs,
      documents,
      webhooks,
      audit,
      accounts,
      tokens,
      usage,
      books,
      ledger,
      counts,
      deadlineClock: createSteadyClock(),
      priceOf,
      catalog,
      assets,
      pool,
      pulls,
      pulledModels: pulled,
      events,
      clock,
      underWay,
      bodies,
      inspectImage: (bytes, options) => pictures.inspect(bytes, options),
      addresses,
      isDraining,
      ...(config.database.type === 'embedded' && {
        findStorageFault: watchStorage(config.dataFolder, store),
        isDataGone: await watchDataFolder(config.dataFolder, [writeAheadLogOf(dataLayout(config.dataFolder).databaseFile)]),
      }),
      renderMetrics: () => renderMetrics(telemetry),
      observer: observeHttp(telemetry),
      recordRequest: (record) => recorder.record(record),
      onSubmitted: ({ id, model, accountId }) => inferenceSubmitted(telemetry, { inferenceId: id, model, accountId }),
      authenticateSession: (request, options) => authenticateSession({ accounts, clock, addresses, allowedHosts }, request, options),
    },
    httpSettings(config),
  )
  // A start that fails after listening must not go on serving.
  parts.defer(async () => {
    server.server.closeAllConnections()
    await server.close()
  })
  const answersClients = config.cluster.role !== 'worker'
  if (answersClients)
    await registerConsole(
      server,
      {
        accounts,
        tokens,
        usage,
        ledger,
        documents,
        requests,
        bodies,
        bodyKeys: keys,
        log,
        outputs,
        webhooks,
        audit,
        catalog,
        catalogFor: (accountId) => assets.library.catalogFor(accountId),
        pool,
        events,
        clock,
        passwords: new PasswordHasher(),
        addresses,
        allowedHosts,
        clusterNodes: cluster.nodes,
        tally: () => tallyOf(telemetry),
        onFault: ({ requestId, error }) => faultSurvived(telemetry, { where: 'console', requestId }, error),
        onSignInRefused: (event) => signInRefused(telemetry, event),
        pulledModels: pulled,
        modelServers: (model) => servers.of(model),
        searchHub: (words, options) => searchModels(config, words, options),
        pulls,
      },
      consoleSettings(config, signIn),
    )
  const answers = new AnswersInProgress(server.server)
  const worker = parts.use(
    startDeferredWork(
      {
        ledger,
        priceOf,
        documents,
        requests,
        bodies,
        queue,
        log,
        usage,
        webhooks,
        outputs,
        catalog,
        catalogFor: (accountId) => assets.library.catalogFor(accountId),
        pool: ownPool,
        isLoadedElsewhere: cluster.isLoadedElsewhere,
        ...(store.nodes !== undefined && { kindOf: (modelId: string) => nameable.find(modelId)?.kind }),
        events,
        clock,
        addresses,
        telemetry,
        accounts,
        tokens,
        underWay,
      },
      config,
    ),
  )

  const url = await address.listen(server, config.listen)
  await noteRunningService(config, url)
  serviceStarted(telemetry, { url, models: catalog.list().length, startMs: Math.round(performance.now() - startedAt) })
  if (answersClients) await greet()
  print(`ready ${url}\n`)

  async function greet(): Promise<void> {
    await greetFirstStart({ accounts, tokens, clock, print }, addresses().textUrl, { signal })
    const link = await createFirstRunLink({ accounts, documents, clock, addresses, shared: store.nodes !== undefined }, { signal })
    if (link !== null) print(`Open the console: ${link}\n`)
    if (leadsNobodyElse(config.addresses, config.listen.host))
      print(
        `Links use ${url}, which works only on this machine; for other machines, start with --public-url and the address that they use.\n`,
      )
  }

  await aborted(signal)
  serviceStopping(telemetry, { graceMs: config.requests.graceMs })
  await stopServing({ server, answers, worker, clock, leaveOthers: cluster.drain }, config.requests)
  serviceStopped(telemetry)
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => (signal.aborted ? resolve() : signal.addEventListener('abort', () => resolve(), { once: true })))
}
