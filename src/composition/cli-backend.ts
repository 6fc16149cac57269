import { realpath, stat } from 'node:fs/promises'
import { findLeftOut, removalTarget, removeModel } from '../catalog/pulled-folder.ts'
import { openCatalog } from '../catalog/refreshable-catalog.ts'
import type { CliBackend } from '../cli/cli-backend.ts'
import { UsageError } from '../cli/failures.ts'
import type { Config } from '../config/settings.ts'
import type { AuditAction } from '../core/audit-entry.ts'
import type { PlacedModel } from '../core/model.ts'
import { neverAborted } from '../core/waiting.ts'
import { makeBodyKey } from '../storage/filesystem/open-body-keys.ts'
import { takeOwnerLock } from '../storage/sqlite/owner-lock.ts'
import { migrations } from '../storage/sqlite/schema/migrations.ts'
import { restoreBackup } from '../storage/upkeep/restore-backup.ts'
import { writeBackup } from '../storage/upkeep/write-backup.ts'
import { dataLayout } from './data-layout.ts'
import { listDevices } from './devices/devices.ts'
import { examine } from './doctor/examine.ts'
import { findImportable, registerImportable } from './models/import-models.ts'
import { listInstalledModels, planPullToDataFolder, pullToDataFolder, searchModels } from './models/pull-to-data-folder.ts'
import { openAccountDesk } from './open-account-desk.ts'
import { bodyKeysFile, finishInterruptedRestore, openStore } from './open-store.ts'
import { findRunningService } from './running-service.ts'
import { findStartFaults } from './start-faults.ts'
import { createSystemClock } from './system-clock.ts'
import { findWaysOut } from './ways-out.ts'

/** What the commands do, on the parts of the service. */
export const cliBackend: CliBackend = {
  // Each command loads only the parts it needs.
  serve: async (config, options) => (await import('./serve.ts')).serve(config, options),
  findStartFaults,
  findRunningService,
  openAccountDesk,
  listDevices,
  listModels: listInstalledModels,
  pullModel: async (config, source, options) => {
    const model = await pullToDataFolder(config, source, options)
    await recordAudit(config, 'model-pulled', source)
    return model
  },
  planPull: planPullToDataFolder,
  findForeignModels: findImportable,
  registerForeignModels: registerImportable,
  searchModels,
  findRemovableModel,
  removeModel,
  makeLogKey: async (config) => {
    const file = bodyKeysFile(config)
    const { id } = await makeBodyKey(file)
    await recordAudit(config, 'request-log-key-made', id)
    return { id, file }
  },
  backup: async ({ dataFolder, database }, file, options) => {
    refuseShared('backup', database)
    await finishInterruptedRestore({ dataFolder })
    return writeBackup({ ...dataLayout(dataFolder), dataFolder }, file, options)
  },
  restore: async ({ dataFolder, database }, file, options) => {
    refuseShared('restore', database)
    using _owned = await takeOwnerLock(dataFolder)
    await restoreBackup({ ...dataLayout(dataFolder), dataFolder }, file, { ...options, newestSchema: migrations.length })
  },
  migrate: async (config, target, options) => (await import('./move-installation.ts')).moveInstallation(config, target, options),
  openFetch: (config) => findWaysOut(config).fetch,
  doctor: examine,
}

/** @throws {UsageError} if the data is in a separate database, since a copy of the folder alone would be incomplete. */
function refuseShared(command: 'backup' | 'restore', { type }: Config['database']): void {
  if (type === 'embedded') return
  const message = `sepia ${command} works with the database in the data folder; for PostgreSQL use pg_dump and pg_restore, and the bucket's own tools.`
  throw new UsageError([{ where: 'database-url', message }])
}

/** The action is recorded even if the operator aborts the command. */
async function recordAudit(config: Config, action: AuditAction, subject: string): Promise<void> {
  const clock = createSystemClock()
  await using store = await openStore(config, { clock, mode: 'tool' })
  await store.audit.append({ at: clock.now(), action, accountId: null, address: null, subject, detail: null }, neverAborted)
}

async function sizeOf(path: string): Promise<number> {
  return (await stat(path).catch(() => null))?.size ?? 0
}

/** Searches only the folder of pulled models, since other files must not be deleted. A model without a folder of its own is its file. */
async function findRemovableModel({ dataFolder }: Config, modelId: string): ReturnType<CliBackend['findRemovableModel']> {
  const { modelsFolder } = dataLayout(dataFolder)
  const catalog = await openCatalog({ folders: [], pulledFolder: modelsFolder })
  const model = catalog.find(modelId)
  const pulled: PlacedModel | undefined = model ?? findLeftOut(catalog.unusable, modelId)
  if (pulled === undefined)
    throw new Error(`No model ${modelId} was pulled into ${modelsFolder}; run sepia model list to see the pulled models.`)
  const placed = { ...removalTarget(pulled), id: modelId, bytes: model?.bytes ?? (await sizeOf(pulled.file ?? '')) }
  // A link to a file that is gone leads nowhere.
  const place = await realpath(placed.folder).catch(() => null)
  if (place !== (await realpath(modelsFolder))) return placed
  throw new Error(`The model ${modelId} has no folder of its own in ${modelsFolder}; delete its files there.`)
}
