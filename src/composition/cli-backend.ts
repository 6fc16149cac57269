import { rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { openCatalog } from '../catalog/open-catalog.ts'
import { pullModel } from '../catalog/pull-model.ts'
import type { CliBackend } from '../cli/cli-backend.ts'
import { takeOwnerLock } from '../storage/sqlite/owner-lock.ts'
import { restoreBackup } from '../storage/upkeep/restore-backup.ts'
import { writeBackup } from '../storage/upkeep/write-backup.ts'
import { dataLayout } from './data-layout.ts'
import { examine } from './examine.ts'
import { modelFolders } from './model-folders.ts'
import { openAccountDesk } from './open-account-desk.ts'

/** What the commands do, on the parts of the service. */
export const cliBackend: CliBackend = {
  // The service's own parts are loaded only by the command that runs them.
  serve: async (config, options) => (await import('./serve.ts')).serve(config, options),
  openAccountDesk,
  listModels: async (config) => (await openCatalog({ folders: modelFolders(config) })).list(),
  pullModel: ({ dataFolder }, source, { signal, onProgress }) =>
    pullModel(dataLayout(dataFolder), source, { signal, onProgress: ({ bytesDone, bytesTotal }) => onProgress(bytesDone, bytesTotal) }),
  findRemovableModel: async (config, modelId) => {
    const { modelsFolder } = dataLayout(config.dataFolder)
    const model = (await openCatalog({ folders: modelFolders(config) })).find(modelId)
    if (model === undefined) throw new Error(`There is no model ${modelId}; sepia model list shows them.`)
    if (dirname(model.folder) !== modelsFolder) throw new Error(`${modelId} was not pulled; delete ${model.folder} yourself.`)
    return model
  },
  removeModel: ({ folder }) => rm(folder, { recursive: true }),
  backup: ({ dataFolder }, file, options) => writeBackup({ ...dataLayout(dataFolder), dataFolder }, file, options),
  restore: async ({ dataFolder }, file, options) => {
    using _owned = await takeOwnerLock(dataFolder)
    await restoreBackup({ ...dataLayout(dataFolder), dataFolder }, file, options)
  },
  doctor: examine,
}
