import { stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { CatalogError, formatFault } from '../../catalog/catalog-fault.ts'
import { openCatalog } from '../../catalog/refreshable-catalog.ts'
import { verifyModel } from '../../catalog/verify-model.ts'
import type { Finding } from '../../cli/cli-backend.ts'
import type { ReportProgress } from '../../cli/progress-bar.ts'
import type { Config } from '../../config/settings.ts'
import { type ModelDescriptor, serversOf } from '../../core/model.ts'
import type { Store } from '../../core/ports/store.ts'
import { checkStoredBytes, type StoredBytesKind } from '../../operations/account-bytes.ts'
import { ownerFiles } from '../../storage/sqlite/owner-lock.ts'
import { checkDatabase, findUnwritable } from '../../storage/upkeep/examination.ts'
import { readDatabaseUrl } from '../cluster/node-address.ts'
import { rootOf } from '../cluster/open-bucket.ts'
import { dataLayout } from '../data-layout.ts'
import { findUnreachableServers } from '../models/find-unreachable-servers.ts'
import { modelFolders } from '../models/open-models.ts'
import { openStore, openWritableOutputs } from '../open-store.ts'
import { createSystemClock } from '../system-clock.ts'
import { findWaysOut } from '../ways-out.ts'

interface ExamineOptions {
  readonly signal: AbortSignal
  readonly onProgress: ReportProgress
}

/**
 * Checks everything a service needs: models, database, stored outputs. Changes nothing; a file written to test for write access is removed.
 */
export async function examine(config: Config, options: ExamineOptions): Promise<readonly Finding[]> {
  return [...(await examineModels(config, options)), ...(await examineData(config, options))]
}

async function examineModels(config: Config, { signal, onProgress }: ExamineOptions): Promise<readonly Finding[]> {
  const { findRoute } = findWaysOut(config)
  const catalog = await openCatalog(modelFolders(config)).catch((error: Error) => error)
  // One row each, since table rows have one line.
  if (catalog instanceof CatalogError)
    return catalog.faults.map((fault) => ({ subject: 'models', healthy: false, message: formatFault(fault) }))
  if (catalog instanceof Error) return [{ subject: 'models', healthy: false, message: catalog.message }]
  const findings: Finding[] = [
    ...examineWaysOut(config, catalog.list()),
    ...catalog.faults.map((fault) => ({ subject: 'models', healthy: false, message: formatFault(fault) })),
  ]
  for (const model of catalog.list()) {
    const faults = await verifyModel(model, { signal, onProgress: ({ bytesDone, bytesTotal }) => onProgress(bytesDone, bytesTotal) })
    const idle = catalog.ignoredFields
      .filter(({ file }) => dirname(file) === model.folder)
      .map(({ field, message }) => `${field} ${message}`)
    const away = (await findUnreachableServers(model, { signal, findRoute })).map(({ url, reason }) => `${url} does not answer: ${reason}`)
    const praise = [soundnessOf(model), ...away, ...idle].join('; ')
    const found = verdict(faults.map(formatFault), praise)
    findings.push({ subject: `model ${model.id}`, ...found, ...(away.length > 0 && { away: true }) })
  }
  return findings
}

/** The finding for a model without faults; of a remote one only the description can be checked. */
function soundnessOf({ upstream }: ModelDescriptor): string {
  return upstream === undefined ? 'every listed file is complete' : `its model.json is valid, and it runs on ${upstream.url}`
}

/** Checks the database and the stored outputs, while a service may be running. */
export async function examineData(config: Config, options: ExamineOptions): Promise<readonly Finding[]> {
  const { dataFolder, database: shared } = config
  if (shared.type === 'postgres') return examineShared(config, await readDatabaseUrl(shared), options)
  const { databaseFile } = dataLayout(dataFolder)
  const unseen = await stat(databaseFile).then(
    () => null,
    (error: NodeJS.ErrnoException) => error,
  )
  if (unseen?.code === 'ENOENT')
    return [{ subject: 'data', healthy: true, message: `${dataFolder} has no database yet; the first start creates it.` }]
  if (unseen !== null) {
    const message = `${databaseFile} cannot be read (${unseen.code}); run sepia doctor as the user of the service.`
    return [{ subject: 'data', healthy: false, message }]
  }
  const beside = ['', '-wal', '-shm'].map((suffix) => databaseFile + suffix)
  const unwritable = await findUnwritable(dataFolder, [...beside, ...ownerFiles(dataFolder)])
  const database = {
    subject: 'database',
    ...verdict(checkDatabase(databaseFile, { isFrozen: unwritable !== null }), `${databaseFile} is whole`),
  }
  if (unwritable !== null) return [{ subject: 'data', healthy: false, message: unwritable }, database]
  return database.healthy ? [database, await examineOutputs(config, options)] : [database]
}

/** Checks the shared database and bucket, while nodes may be running; a database is only opened if its schema is current. */
async function examineShared(config: Config, url: string, options: ExamineOptions): Promise<readonly Finding[]> {
  const { checkDatabase: checkShared } = await import('../../storage/postgres/check-database.ts')
  const subject = 'database'
  const checked = await checkShared(url).catch((error: Error) => error)
  if (checked instanceof Error) return [{ subject, healthy: false, message: checked.message }]
  const { steps, warnings } = checked
  const state =
    steps.taken === 0 ? 'has no tables yet; the first start creates them' : `answers, with schema ${steps.taken} of ${steps.known}`
  const found = { subject, healthy: true, message: [`PostgreSQL ${state}.`, ...warnings].join(' ') }
  if (steps.taken !== steps.known) return [found]
  const clock = createSystemClock()
  await using store = await openStore(config, { clock, mode: 'tool' })
  return [found, await compareOutputs(config, store, options)]
}

async function examineOutputs(config: Config, options: ExamineOptions): Promise<Finding> {
  const clock = createSystemClock()
  // An interrupted restore, or a service of an earlier version, keeps others out.
  const opened = await openStore(config, { clock, mode: 'tool' }).catch((error: Error) => error)
  if (opened instanceof Error) return { subject: 'outputs', healthy: false, message: opened.message }
  await using store = opened
  return await compareOutputs(config, store, options)
}

async function compareOutputs(config: Config, store: Store, { signal, onProgress }: ExamineOptions): Promise<Finding> {
  const outputs = await openWritableOutputs(config, { ...store, signal }).catch((error: Error) => error)
  if (outputs instanceof Error) return { subject: 'outputs', healthy: false, message: outputs.message }
  const found = await checkStoredBytes({ ...store, outputs }, { signal, onProgress }).catch((error: Error) => error)
  if (found instanceof Error) return { subject: 'outputs', healthy: false, message: `Some cannot be read: ${rootOf(found)}` }
  const faults = found.damaged.map(({ kind, id }) => damages[kind].replace('<id>', id))
  const files = found.documents === 0 ? '' : `, and ${found.documents} uploaded and kept files`
  return { subject: 'outputs', ...verdict(faults, `all ${found.outputs} are whole${files}`) }
}

/** Sentences about missing or damaged bytes. */
const damages = {
  output: 'the output of <id> is missing or damaged; send that request again',
  file: '<id> is missing or damaged; delete it and upload it again',
  picture: 'the saved image <id> is missing or damaged; delete it',
  'request-body': 'a logged body (<id>) is missing or damaged; restore a backup or let it expire',
} as const satisfies Record<StoredBytesKind, string>

function verdict(faults: readonly string[], praise: string): Pick<Finding, 'healthy' | 'message'> {
  return faults.length === 0 ? { healthy: true, message: praise } : { healthy: false, message: faults.join('; ') }
}

/** Destinations reached through each proxy, and those reached directly; empty without proxies. */
export function examineWaysOut(config: Config, models: readonly ModelDescriptor[]): readonly Finding[] {
  const { http, https } = config.proxies
  const { findRoute } = findWaysOut(config)
  const found = listDestinations(config, models).map(([what, url]) => {
    const address = new URL(url)
    return { proxy: findRoute(address)?.proxy ?? null, text: `${what} (${address.host})` }
  })
  const textsOf = (proxy: string | null): string =>
    found.flatMap((destination) => (destination.proxy === proxy ? [destination.text] : [])).join(', ')
  const direct = textsOf(null)
  return [...new Set([https, http].flatMap((proxy) => (proxy === null ? [] : [proxy.name])))].map((name) => {
    const used = textsOf(name)
    const message = `${used === '' ? 'nothing goes' : `${used} go`} through it${direct === '' ? '' : `; directly: ${direct}`}`
    return { subject: `proxy ${name}`, healthy: true, message }
  })
}

/** Configured destinations with their URLs. */
function listDestinations(
  { models, outputs, signIn, otlp }: Config,
  all: readonly ModelDescriptor[],
): readonly (readonly [string, string])[] {
  return [
    ['the hub', models.hub.url],
    ...all.flatMap(({ id, upstream }) =>
      upstream === undefined ? [] : serversOf(upstream).map(({ url }) => [`model ${id}`, url] as const),
    ),
    ...(signIn.openId === null ? [] : [['sign-in', signIn.openId.issuer] as const]),
    ...(outputs.type === 's3' ? [['the bucket', outputs.address.endpoint] as const] : []),
    ...(otlp === null ? [] : [['telemetry', otlp.url] as const]),
  ]
}
