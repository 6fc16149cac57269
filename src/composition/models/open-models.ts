import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { CatalogError } from '../../catalog/catalog-fault.ts'
import { type ModelFolders, openCatalog, type RefreshableCatalog } from '../../catalog/refreshable-catalog.ts'
import { UsageError } from '../../cli/failures.ts'
import type { ConfigFault } from '../../config/load-config.ts'
import type { Config } from '../../config/settings.ts'
import { dataLayout } from '../data-layout.ts'

/**
 * Reads all configured model folders.
 *
 * @param others Faults to report together with those of the models.
 * @throws {UsageError} with all faults.
 */
export async function openModels(config: Config, others: readonly ConfigFault[] = []): Promise<RefreshableCatalog> {
  const opened = await openCatalog(modelFolders(config)).catch(faultsOf)
  if (!('list' in opened)) throw new UsageError([...others, ...opened])
  if (others.length > 0) throw new UsageError(others)
  return opened
}

function faultsOf(error: unknown): readonly ConfigFault[] {
  if (!(error instanceof CatalogError)) throw error
  return error.faults.map(({ file, field, message }) => ({ where: file, message: field === '' ? message : `${field}: ${message}` }))
}

const builtInFolder = fileURLToPath(new URL('../../../models', import.meta.url))

/** All model folders, the built-in ones first. */
export function modelFolders({ models, dataFolder }: Pick<Config, 'models' | 'dataFolder'>): ModelFolders {
  const { modelsFolder: pulledFolder, assetsFolder, outputsFolder } = dataLayout(dataFolder)
  const apart = [assetsFolder, outputsFolder]
  return { builtIn: models.builtIn ? builtInFolder : undefined, folders: models.folders, pulledFolder, apart }
}

/** All model folders as absolute paths. */
export function allModelFolders(config: Pick<Config, 'models' | 'dataFolder'>): readonly string[] {
  const { builtIn, folders, pulledFolder } = modelFolders(config)
  return [builtIn, ...folders, pulledFolder].flatMap((folder) => (folder === undefined ? [] : [resolve(folder)]))
}
